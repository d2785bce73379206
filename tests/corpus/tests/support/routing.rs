//! A model that calls functions whole, and the crate in which the program that it is written as finds them.

use std::fs;
use std::path::Path;

use candle::{DType, Device};
use corpus::case::{Captured, Failure};
use corpus::weights::uniform;

#[path = "routed.rs"]
#[allow(unreachable_pub, reason = "it is a crate of its own, too")]
mod routed;

/// The functions' own source, which is that of the crate but for the attributes.
const FUNCTIONS: &str = include_str!("routed.rs");

/// Writes the crate, by whose name a program calls the functions by the same paths as here, and says where it is.
pub(crate) fn functions(directory: &Path) -> std::io::Result<String> {
    let source = directory.join("src/routing");
    fs::create_dir_all(&source)?;
    let name = env!("CARGO_CRATE_NAME");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\ncandle-core = \"0.11.1\"\n"
    );
    fs::write(directory.join("Cargo.toml"), manifest)?;
    fs::write(directory.join("src/lib.rs"), "pub mod routing;\n")?;
    fs::write(directory.join("src/routing.rs"), "pub mod routed;\n")?;
    let without_attributes = FUNCTIONS.lines().filter(|line| !line.trim_start().starts_with("#[fx::"));
    fs::write(source.join("routed.rs"), without_attributes.collect::<Vec<_>>().join("\n") + "\n")?;
    Ok(format!("{{ path = {:?} }}", std::path::absolute(directory)?))
}

/// Two of four experts for each token, by functions that read data.
pub(crate) fn routed() -> Result<Captured, Failure> {
    let graph = fx::Tracer::new().name("routed").input("x", DType::F32, (3, 4)).trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        let (weights, chosen) = routed::top(&x, 2)?;
        let width = routed::widened(&chosen, DType::F32, &Device::Cpu, "double")?;
        (weights * width)? + x.narrow(1, 0, 2)?
    })?;
    let inputs = [1, 2].map(|seed| Ok(vec![uniform(seed, (3, 4))?]));
    Ok(Captured { graph, inputs: inputs.into_iter().collect::<candle::Result<_>>()? })
}
