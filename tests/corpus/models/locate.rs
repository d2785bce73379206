//! Where cargo keeps the source of a dependency.
//!
//! Cargo is asked, so that registries, vendored sources and patches all work, and asked without network first.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The directory with the manifest of the dependency of that name.
pub(crate) fn package(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let metadata = metadata(&["--offline"]).or_else(|_| metadata(&[]))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let package = packages.iter().find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let manifest = PathBuf::from(manifest.ok_or_else(|| format!("{name} is not among the dependencies"))?);
    Ok(manifest.parent().ok_or("a manifest lies in a directory")?.to_path_buf())
}

fn metadata(options: &[&str]) -> Result<Value, Box<dyn Error>> {
    let variable = |name| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("Cargo.toml");
    let output = Command::new(variable("CARGO")?)
        .args(["metadata", "--format-version", "1", "--filter-platform", &variable("TARGET")?])
        .arg("--manifest-path")
        .arg(manifest)
        .args(options)
        .output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata failed: {}", message.trim().replace('\n', " ")).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
