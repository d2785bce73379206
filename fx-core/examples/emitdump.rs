use candle_core::Device;
use fx_core::{codegen::Folder, module::GraphModule};
fn main() {
    for path in std::env::args().skip(2) {
        let module = GraphModule::load(&path, &Device::Cpu).unwrap();
        let name = std::path::Path::new(&path).file_stem().unwrap().to_string_lossy().into_owned();
        let out = std::path::Path::new(&std::env::args().nth(1).unwrap()).join(&name);
        let start = std::time::Instant::now();
        match Folder::new().name(name.clone()).write_to(&module, &out) {
            Ok(()) => println!("{name} ok {:?}", start.elapsed()),
            Err(e) => println!("{name}: {e}"),
        }
    }
}
