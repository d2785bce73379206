//! The text of the program: its types, each after those that it holds, with the node of every line.
//!
//! Invariant: the text depends on the module and on what was asked for alone, and rustfmt leaves it as it is.

use std::collections::BTreeSet;

use candle_core::DType;
use proc_macro2::{Spacing, TokenStream, TokenTree};

use crate::ir::NodeId;

use super::super::format::{one_line_tokens, tuple_type};
use super::super::literal::literal;
use super::super::size::{DIVIDE, REMAINDER, TO_SIZE};
use super::super::source::{Code, transformed};
use super::body::{Bodies, Used};
use super::error::FolderError;
use super::flow::Input;
use super::interface::{Interface, Role};
use super::lines::Lines;
use super::load::{constructor, weights};
use super::lowered::Lowered;
use super::naming::{Naming, heads};
use super::program::{Program, value_type};
use super::renamed::renamed;
use super::structure::Ty;
use super::unit::main_dtype;
use super::view::Views;
use super::words::{Fresh, camel};
use super::{Crate, Folder};
use crate::module::GraphModule;
use crate::ops::kind::Kind;
use crate::value::Value;

/// What generated code may refer to by name, and where it is.
const NAMES: &[(&str, &str)] = &[
    ("D", "candle_core::D"),
    ("DType", "candle_core::DType"),
    ("Device", "candle_core::Device"),
    ("Result", "candle_core::Result"),
    ("Tensor", "candle_core::Tensor"),
    ("VarBuilder", "candle_nn::VarBuilder"),
];

/// What makes a tensor of quantized blocks, by name; sources of layers call it.
const QUANTIZED: &str = "quantized";

/// The functions that generated code may call, by name.
const HELPERS: &[(&str, &str)] = &[
    (
        "at",
        "/// Names the step of the captured model that an error is of.
fn at(step: &'static str) -> impl FnOnce(candle_core::Error) -> candle_core::Error {
    move |error| error.context(step)
}",
    ),
    (
        "check_len",
        "/// The model was captured with lists of these lengths.
fn check_len(name: &str, len: usize, expected: usize) -> Result<()> {
    if len == expected {
        return Ok(());
    }
    candle_core::bail!(\"`{name}` should have {expected} items, but has {len}\")
}",
    ),
    (
        "expect",
        "/// The model was captured for inputs of these types and shapes.
fn expect(name: &str, input: &Tensor, dtype: DType, dims: &[usize]) -> Result<()> {
    if input.dtype() == dtype && input.dims() == dims {
        return Ok(());
    }
    let found = (input.dtype(), input.dims());
    candle_core::bail!(\"input `{name}` should be {dtype:?} of {dims:?}, but is {found:?}\")
}",
    ),
    (
        QUANTIZED,
        "/// A matrix of quantized blocks, which are kept as bytes.
fn quantized(
    blocks: Tensor,
    dtype: candle_core::quantized::GgmlDType,
    shape: impl Into<candle_core::Shape>,
) -> Result<candle_core::quantized::QMatMul> {
    use candle_core::quantized::{QMatMul, QStorage, QTensor};

    let bytes = blocks.to_vec1::<u8>()?;
    // candle reads blocks in place, so they have to be aligned.
    let mut room = vec![0; bytes.len() + 16];
    let start = room.as_ptr().align_offset(16);
    let aligned = start..start + bytes.len();
    room[aligned.clone()].copy_from_slice(&bytes);
    let storage = QStorage::from_data(room[aligned].into(), blocks.device(), dtype)?;
    let matrix = QTensor::new(storage, shape)?;
    Ok(QMatMul::QTensor(std::sync::Arc::new(matrix)))
}",
    ),
    (
        TO_SIZE,
        "/// What follows from the sizes of the inputs has to be a size.
fn to_size(value: i64) -> Result<usize> {
    match usize::try_from(value) {
        Ok(size) => Ok(size),
        Err(_) => candle_core::bail!(\"the inputs are too small: a size would be {value}\"),
    }
}",
    ),
    (
        DIVIDE,
        "/// The number of whole parts.
fn divide(value: i64, by: i64) -> Result<i64> {
    match value.checked_div_euclid(by) {
        Some(parts) => Ok(parts),
        None => candle_core::bail!(\"the inputs are too small: {value} would be divided by {by}\"),
    }
}",
    ),
    (
        REMAINDER,
        "/// What whole parts leave.
fn remainder(value: i64, by: i64) -> Result<i64> {
    match value.checked_rem_euclid(by) {
        Some(left) => Ok(left),
        None => candle_core::bail!(\"the inputs are too small: {value} would be divided by {by}\"),
    }
}",
    ),
    (
        "expect_state",
        "/// The model was captured in a state of these types and shapes.
fn expect_state(name: &str, value: &Tensor, dtype: DType, dims: &[usize]) -> Result<()> {
    if value.dtype() == dtype && value.dims() == dims {
        return Ok(());
    }
    let found = (value.dtype(), value.dims());
    candle_core::bail!(\"state `{name}` should be {dtype:?} of {dims:?}, but is {found:?}\")
}",
    ),
];

/// Writes a module as a program.
pub(super) fn write(folder: &Folder<'_>, module: &GraphModule) -> Result<Crate, FolderError> {
    let mut lowered = Lowered::new(module)?;
    if let Some(rename) = &folder.rename {
        renamed(&mut lowered.module, rename)?;
    }
    let Lowered { module, calls } = &lowered;
    let program = Program::new(module, &|krate| folder.dependencies.iter().any(|(name, _)| name == krate))?;
    let mut types = Fresh::types();
    let model = types.take_type(&camel(module.class_name()));
    let last = program.units.len() - 1;
    let mut weights = weights(&program);
    let main = main_dtype(weights.iter().map(|(_, tensor)| tensor));
    let mut interfaces = Vec::with_capacity(program.units.len());
    for (number, unit) in program.units.iter().enumerate() {
        let role = if number == last { Role::Model } else { Role::Child };
        interfaces.push(Interface::new(unit.module, unit.slots.clone(), role, &mut types, &weights)?);
    }
    let naming = Naming::new(&program, model, &mut types);
    weights.extend(interfaces.iter().filter_map(Interface::kept).flat_map(|kept| kept.weights.iter().cloned()));
    let taken = Fresh::values(heads(&program));
    let mut bodies = Bodies {
        program: &program,
        naming: &naming,
        taken,
        explain: folder.explain,
        comments: folder.comments,
        calls,
        views: Views::default(),
        used: Used::default(),
    };
    let mut lines = Lines::default();
    for interface in &interfaces {
        interface.structures().definitions().into_iter().for_each(|line| lines.push(line));
        let kept = interface.kept().map(|kept| kept.definition(interface.structures(), main));
        kept.into_iter().flatten().for_each(|line| lines.push(line));
    }
    for ty in 0..program.types.len() {
        write_type(folder, &mut bodies, ty, &interfaces, main, &mut lines)?;
    }
    // What layers and numbers are made by is written where they stand.
    let text = lines.text();
    let calls = |name: &str| text.contains(&format!("{name}("));
    let others: Vec<&str> = [QUANTIZED, TO_SIZE, DIVIDE, REMAINDER].into_iter().filter(|name| calls(name)).collect();
    for (name, text) in HELPERS {
        if bodies.used.helpers.contains(name) || others.contains(name) {
            lines.push("");
            text.lines().for_each(|line| lines.push(line));
        }
    }
    let body = lines.text();
    let mut code = Code::default();
    header(module, &naming, &program).lines().for_each(|line| code.push(line, None));
    for line in imports(&body, &bodies.used.traits) {
        code.push(&line, None);
    }
    code.push("", None);
    lines.write_to(&mut code);
    Ok(Crate { code, weights, model: naming.types[program.types.len() - 1].name.to_string() })
}

/// What the program is.
fn header(module: &GraphModule, naming: &Naming, program: &Program<'_>) -> String {
    let name = &naming.types[program.types.len() - 1].name;
    format!(
        "//! `{name}`, written from the graph `{}`: it computes the same bits.\n//!\n//! [`{name}::load`] reads the weights, \
         [`{name}::forward`] runs the model.\n\n",
        module.graph().name().escape_debug()
    )
}

/// The `use` lines: what the text names, and the traits whose methods it calls.
fn imports(body: &str, traits: &BTreeSet<String>) -> Vec<String> {
    let mut named = BTreeSet::new();
    if let Ok(tokens) = body.parse::<TokenStream>() {
        let mut pending = vec![tokens.into_iter()];
        // The colons right before a token: after two it is the rest of a path.
        let mut colons = 0;
        while let Some(tokens) = pending.last_mut() {
            let token = tokens.next();
            let before = std::mem::take(&mut colons);
            match token {
                None => {
                    pending.pop();
                }
                Some(TokenTree::Group(group)) => pending.push(group.stream().into_iter()),
                Some(TokenTree::Ident(ident)) if before < 2 => {
                    named.extend(NAMES.iter().filter(|(name, _)| ident == name).map(|(_, path)| (*path).to_owned()));
                }
                Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => {
                    colons = if before == 1 { 2 } else { usize::from(punct.spacing() == Spacing::Joint) };
                }
                Some(_) => {}
            }
        }
    }
    named.extend(traits.iter().cloned());
    let crates: BTreeSet<&str> = named.iter().filter_map(|path| path.split("::").next()).collect();
    let each = crates.into_iter().map(|krate| {
        let names: Vec<&str> = named.iter().filter_map(|path| path.strip_prefix(krate)?.strip_prefix("::")).collect();
        match names.as_slice() {
            [one] => format!("use {krate}::{one};"),
            several => format!("use {krate}::{{{}}};", several.join(", ")),
        }
    });
    each.collect()
}

fn write_type(
    folder: &Folder<'_>,
    bodies: &mut Bodies<'_>,
    ty: usize,
    interfaces: &[Interface],
    main: DType,
    lines: &mut Lines,
) -> Result<(), FolderError> {
    let (program, naming) = (bodies.program, bodies.naming);
    let names = &naming.types[ty];
    let is_model = ty + 1 == program.types.len();
    let (visible, name) = (if is_model { "pub " } else { "" }, &names.name);
    if ty > 0 {
        lines.push("");
    }
    lines.push(format!("/// {}", comment(program, ty)));
    let kept = interfaces.last().and_then(Interface::kept).filter(|_| is_model);
    if names.fields.is_empty() && kept.is_none() {
        lines.push(format!("{visible}struct {name};"));
    } else {
        lines.push(format!("{visible}struct {name} {{"));
        for field in &names.fields {
            let (unit, _) = program.types[ty].instances[0];
            let of = one_line_tokens(&naming.member_type(program, unit, &field.members[0].1));
            let of = if field.list.is_some() { format!("Vec<{of}>") } else { of };
            lines.push(format!("    {}: {of},", field.name));
        }
        if let Some(kept) = kept {
            if kept.is_read() {
                lines.push(format!("    initial_state: {},", kept.name));
            }
            lines.push("    /// What it keeps from one call to the next.");
            lines.push(format!("    pub state: {},", kept.name));
        }
        lines.push("}");
    }
    lines.push("");
    lines.push(format!("impl {name} {{"));
    if is_model {
        let dtype = literal(&Value::DType(main), Kind::DType, None);
        lines.push("    /// Reads the weights from a safetensors file.");
        lines.push("    ///");
        lines.push("    /// # Errors");
        lines.push("    /// When the file cannot be read, or a tensor is missing or of another shape.");
        lines.push("    pub fn load(path: impl AsRef<std::path::Path>, device: &Device) -> Result<Self> {");
        lines.push("        Self::from_bytes(&std::fs::read(path)?, device)");
        lines.push("    }");
        lines.push("");
        lines.push("    /// Reads the weights from what a safetensors file holds, as `include_bytes!` gives it.");
        lines.push("    ///");
        lines.push("    /// # Errors");
        lines.push("    /// When it is no such file, or a tensor is missing or of another shape.");
        lines.push("    pub fn from_bytes(weights: &[u8], device: &Device) -> Result<Self> {");
        let dtype = one_line_tokens(&dtype).replace(' ', "");
        lines.push(format!("        let vb = VarBuilder::from_slice_safetensors(weights, {dtype}, device)?;"));
        lines.push("        Self::new(vb)");
        lines.push("    }");
        lines.push("");
        lines.push("    /// Takes the weights by their names in the captured model.");
        lines.push("    ///");
        lines.push("    /// # Errors");
        lines.push("    /// When a tensor is missing or of another shape.");
    }
    let (making, reads) = constructor(program, naming, ty, main, kept);
    let mut parameters: Vec<String> = names.sizes.iter().map(|size| format!("{size}: usize")).collect();
    parameters.push(format!("{}: VarBuilder", if reads { "vb" } else { "_vb" }));
    lines.signature(&format!("    {visible}fn new("), &parameters, "Self");
    making.iter().for_each(|line| lines.inside(line, None));
    lines.push("    }");
    if let Some(kept) = kept {
        lines.push("");
        lines.push("    /// Puts the state back to what it was at the capture.");
        lines.push("    pub fn reset(&mut self) {");
        match kept.is_read() {
            true => lines.push("        self.state = self.initial_state.clone();"),
            false => lines.push(format!("        self.state = {}::default();", kept.name)),
        }
        lines.push("    }");
    }
    let functions: Vec<usize> = program.types[ty].functions.keys().copied().collect();
    for function in functions {
        lines.push("");
        write_function(folder, bodies, ty, function, interfaces, lines)?;
    }
    lines.push("}");
    Ok(())
}

/// Which modules a type is of.
fn comment(program: &Program<'_>, ty: usize) -> String {
    let instances = &program.types[ty].instances;
    let (unit, holder) = instances[0];
    let unit = &program.units[unit];
    let first = match unit.holders.all[holder].path.as_str() {
        "" => format!("The graph `{}`", unit.graph().name().escape_debug()),
        path => format!("`{}`", path.escape_debug()),
    };
    match instances.len() - 1 {
        0 => format!("{first}."),
        more => format!("{first} and {more} more."),
    }
}

fn write_function(
    folder: &Folder<'_>,
    bodies: &mut Bodies<'_>,
    ty: usize,
    function: usize,
    interfaces: &[Interface],
    lines: &mut Lines,
) -> Result<(), FolderError> {
    let (program, naming) = (bodies.program, bodies.naming);
    let names = &naming.types[ty].functions[&function];
    let (number, region) = program.types[ty].functions[&function][0];
    let unit = &program.units[number];
    let structures = interfaces[number].structures();
    let interface = (region == 0).then(|| &interfaces[number]);
    let keeps = interface.is_some_and(|interface| interface.kept().is_some());
    let mut parameters = vec![if keeps { "&mut self" } else { "&self" }.to_owned()];
    for (input, name) in unit.flow.inputs[region].iter().zip(&names.parameters) {
        let of = match input {
            Input::Value(id) => match value_type(unit, *id).strip_prefix("Vec<").and_then(|of| of.strip_suffix('>')) {
                Some(item) => format!("[{item}]"),
                None => value_type(unit, *id),
            },
            Input::Held(member) => one_line_tokens(&naming.member_type(program, number, member)),
            Input::Size(_) => {
                parameters.push(format!("{name}: usize"));
                continue;
            }
            Input::State(way) => {
                let of = match unit.slots.as_ref().map_or(Ty::Unknown, |slots| slots.type_at(way)) {
                    Ty::List(item) => format!("[{}]", structures.text(&item)),
                    ty => structures.text(&ty),
                };
                parameters.push(format!("{name}: &mut {of}"));
                continue;
            }
        };
        parameters.push(format!("{name}: &{of}"));
    }
    let returned = match interface {
        Some(interface) => {
            parameters.extend(interface.parameters());
            interface.returned()
        }
        None => {
            let outputs: Vec<String> = unit.flow.outputs[region].iter().map(|id| value_type(unit, *id)).collect();
            match outputs.as_slice() {
                [one] => one.clone(),
                several => tuple_type(several, 4),
            }
        }
    };
    let is_public = ty + 1 == program.types.len() && region == 0;
    if is_public {
        match keeps {
            true => lines.push("    /// Runs the model on the state of the call before, and keeps its own. If it fails, the state stays."),
            false => lines.push("    /// Runs the model."),
        }
        lines.push("    ///");
        lines.push("    /// # Errors");
        let or_state = if keeps { " or the state" } else { "" };
        lines.push(format!("    /// When candle refuses a step, or an input{or_state} is not as at the capture."));
    }
    let visible = if is_public { "pub " } else { "" };
    let start = format!("    {visible}fn {}(", names.name);
    lines.signature(&start, &parameters, &returned);
    let body = bodies.write(ty, function, structures, interface);
    let mut statements = body.statements;
    if let Some(transform) = &folder.transform {
        let function = format!("{}::{}", naming.types[ty].name, names.name);
        statements = transformed(statements, &|body| transform(&function, body))?;
    }
    let is_model = number + 1 == program.units.len();
    let of_model = |id: NodeId| bodies.calls.get(&id).copied().filter(|_| is_model).unwrap_or(id);
    statements.push(body.result);
    lines.body(unit.graph(), &statements, folder.comments, &of_model);
    lines.push("    }");
    Ok(())
}
