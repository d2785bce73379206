//! soon
#[derive(Debug, Clone, thiserror::Error)]
#[error("not well formed")]
pub struct VerifyErrors;
impl super::Graph { 
/// soon
pub fn verify(&self) -> Result<(), VerifyErrors> { Ok(()) } }
