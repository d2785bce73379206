//! Reading a graph: header, statements, names.
//!
//! The reader goes through the text once. A node is a number from its first mention on; where nodes are used before they
//! are defined, which a graph that is being edited may do, the numbers are put right at the end.
//!
//! Invariant: a text that is not a graph is an error, never a panic, and takes linear time.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::error::{Fault, ParseError, ParseErrorKind, line_of, nearest};
use super::lex::{Lexer, Result, shortened};
use super::read_meta::Stacks;
use crate::entity::EntityRef;
use crate::ir::{
    Argument, Dynamic, Graph, Keyword, Meta, NodeId, Op, Signature, Source, StateSlot, Target, Written, is_legal_name,
};
use crate::ops::{CallKind, OpTable};
use crate::value::Device;

impl Graph {
    /// Reads the text form: what `Display` or [`Graph::to_text`] wrote, or what a person wrote. The grammar is in
    /// [`text`](crate::text).
    ///
    /// The graph has the nodes of the text in their order and under their names. It need not be correct:
    /// [`Graph::verify`] says.
    ///
    /// # Errors
    ///
    /// If the text is not a graph, calls an operation that is not in the table, uses a node that it does not define,
    /// defines one twice, or gives one a name that Rust does not allow.
    ///
    /// ```
    /// use fx_core::ir::Graph;
    /// use fx_core::ops::OpTable;
    ///
    /// let text = "\
    /// graph my_module(%x: f32[3, 4]) {
    ///     %param = get_attr param()
    ///     %add = call_function add(%x, %param)
    ///     %linear = call_module linear(%add)
    ///     output %linear
    /// }";
    /// let graph = Graph::parse(text, OpTable::builtin())?;
    /// graph.verify()?;
    /// assert_eq!(graph.to_string(), text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str, ops: &OpTable) -> std::result::Result<Self, ParseError> {
        let mut lexer = Lexer::new(text);
        let read = Reader::new(&mut lexer, ops, None).graph().and_then(|graph| match lexer.peek() {
            None => Ok(graph),
            Some(_) => Err(lexer.expected("nothing after the graph")),
        });
        read.map_err(|fault| fault.place(text))
    }
}

/// Reads a graph of the built-in operations.
impl FromStr for Graph {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        Self::parse(text, OpTable::builtin())
    }
}

/// The arguments of a call by position and by name.
type Arguments = (Box<[Argument]>, Box<[(Keyword, Argument)]>);

/// What is known of a name in the text.
struct Mention {
    /// Where it is first.
    at: usize,
    /// Which of the nodes it is, and where it is defined.
    defined: Option<(usize, usize)>,
}

/// A graph that is being read.
pub(super) struct Reader<'l, 't, 'o> {
    pub(super) lexer: &'l mut Lexer<'t>,
    ops: &'o OpTable,
    /// What stands in for devices that this program does not have.
    substitute: Option<&'o Device>,
    mentions: IndexMap<&'t str, Mention, foldhash::fast::RandomState>,
    nodes: Vec<Written<'t>>,
    pub(super) stacks: Stacks,
    pub(super) source: Option<Source>,
    devices: HashMap<String, Device>,
    /// Names of the parts of the state.
    slots: Vec<Arc<str>>,
    /// What the sizes of the graph were at the capture.
    pub(super) hints: Vec<(Arc<str>, i64)>,
}

impl<'l, 't, 'o> Reader<'l, 't, 'o> {
    /// Nothing read yet. An accelerator that cannot be used is replaced by `substitute`.
    pub(super) fn new(lexer: &'l mut Lexer<'t>, ops: &'o OpTable, substitute: Option<&'o Device>) -> Self {
        Self {
            lexer,
            ops,
            substitute,
            mentions: IndexMap::default(),
            nodes: Vec::new(),
            stacks: Stacks::default(),
            source: None,
            devices: HashMap::new(),
            slots: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// The graph that comes next.
    pub(super) fn graph(mut self) -> Result<Graph> {
        if !self.lexer.eat_word("graph") {
            return Err(self.lexer.expected("`graph`"));
        }
        let name = self.lexer.name("the name of the graph")?;
        let mut dynamic = self.sizes()?;
        self.lexer.expect("(", "`(` and the inputs")?;
        while !self.lexer.eat(")") {
            self.input()?;
            if !self.lexer.eat(",") {
                self.lexer.expect(")", "`,` or `)`")?;
                break;
            }
        }
        let mut signature = self.signature()?;
        if let Some(signature) = &signature {
            self.slots = signature.state.iter().map(|slot| slot.name.clone()).collect();
        }
        if let Some(dynamic) = &mut dynamic {
            dynamic.guards = self.guards()?;
        }
        self.lexer.expect("{", "`{` and the nodes")?;
        while !self.lexer.eat("}") {
            match self.lexer.peek() {
                Some(b'#') => self.stack()?,
                _ => self.statement()?,
            }
        }
        self.number_nodes(signature.as_mut(), dynamic.as_mut())?;
        // All of them are legal and there once, so that each gets its own name.
        let restored = Graph::restore(&*name, std::mem::take(&mut self.nodes)).map_err(|place| {
            let kind = ParseErrorKind::Invalid(format!("node {place} cannot have its name"));
            Fault::new(0, 0, kind)
        });
        let mut graph = restored?;
        if signature.is_some() {
            graph.set_signature(signature);
        }
        if dynamic.is_some() {
            graph.set_dynamic(dynamic);
        }
        Ok(graph)
    }

    /// `takes (x = %x, hs = [%hs_0, %hs_1], n = 3) state (cache = (%k, %v))`, if it comes next.
    fn signature(&mut self) -> Result<Option<Signature>> {
        if !self.lexer.eat_word("takes") {
            return Ok(None);
        }
        self.lexer.expect("(", "`(` and the parameters")?;
        let mut parameters = Vec::new();
        while !self.lexer.eat(")") {
            let name = self.lexer.name("a parameter or `)`")?;
            self.lexer.expect("=", "`=`")?;
            parameters.push((name.into(), self.argument(Argument::MAX_DEPTH)?));
            if !self.lexer.eat(",") {
                self.lexer.expect(")", "`,` or `)`")?;
                break;
            }
        }
        let state = self.state()?.into_iter().map(|(name, reads)| StateSlot { name, reads }).collect();
        Ok(Some(Signature { parameters: parameters.into(), state }))
    }

    /// `state (cache = (%k, %v), pos = 3)`, if it comes next; else nothing.
    fn state(&mut self) -> Result<Vec<(Arc<str>, Argument)>> {
        let mut slots = Vec::new();
        if !self.lexer.eat_word("state") {
            return Ok(slots);
        }
        self.lexer.expect("(", "`(` and the parts of the state")?;
        while !self.lexer.eat(")") {
            let name = self.lexer.dotted("a part of the state or `)`")?;
            self.lexer.expect("=", "`=`")?;
            // In the output they stand in two tuples.
            slots.push((name.into(), self.argument(Argument::MAX_DEPTH - 2)?));
            if !self.lexer.eat(",") {
                self.lexer.expect(")", "`,` or `)`")?;
                break;
            }
        }
        Ok(slots)
    }

    /// What an output reads: the result, and what is written to the state if it has any.
    fn output(&mut self) -> Result<Argument> {
        let room = Argument::MAX_DEPTH - usize::from(!self.slots.is_empty());
        let result = self.argument(room)?;
        self.lexer.peek();
        let start = self.lexer.at;
        let written = self.state()?;
        if written.is_empty() {
            return Ok(result);
        }
        if !written.iter().map(|(name, _)| name).eq(&self.slots) {
            let slots: Vec<String> = self.slots.iter().map(|slot| shortened(slot)).collect();
            let expected = if slots.is_empty() { "no state".to_owned() } else { slots.join(", ") };
            let kind = ParseErrorKind::Invalid(format!("this is not the state of the graph, which is: {expected}"));
            return Err(self.lexer.fault(start, kind));
        }
        Ok((result, Argument::Tuple(written.into_iter().map(|(_, value)| value).collect())).into())
    }

    /// `%x: f32[3, 4]` or `type %type_1`.
    fn input(&mut self) -> Result<()> {
        let parameter = match self.lexer.peek() {
            Some(b'%') => None,
            _ => Some(self.lexer.name("an input, like `%x`")?),
        };
        let name = self.defined_name()?;
        let mut meta = Meta::default();
        if self.lexer.eat(":") {
            meta.fact = self.fact()?;
        }
        self.clause(&mut meta)?;
        let target = Target::Placeholder(parameter.map_or_else(|| name.into(), Into::into));
        self.nodes.push(Written { name, target, args: Box::default(), kwargs: Box::default(), meta });
        Ok(())
    }

    /// `%add = call_function add(%x, %param)` or `output %add`.
    fn statement(&mut self) -> Result<()> {
        let name = match self.lexer.peek() {
            Some(b'%') => {
                let name = self.defined_name()?;
                self.lexer.expect("=", "`=`")?;
                Some(name)
            }
            _ => None,
        };
        self.lexer.peek();
        let start = self.lexer.at;
        let word = self.lexer.word();
        let op = word.and_then(|word| Op::ALL.into_iter().find(|op| op.as_str() == word));
        let name = match (op, name) {
            (Some(_), Some(name)) => name,
            (Some(Op::Output), None) => {
                self.define("output", start)?;
                "output"
            }
            (op, name) => {
                self.lexer.at = start;
                let hint = nearest(word.unwrap_or_default(), Op::ALL.iter().map(|op| op.as_str()), 1);
                return Err(match (op, name) {
                    (Some(_), _) => self.lexer.expected("the name of the node before its opcode, like `%x = `"),
                    (None, Some(_)) => self.lexer.expected("an opcode").hint(did_you_mean(&hint, "")),
                    (None, None) => self.lexer.expected("a node, `output` or `}`").hint(did_you_mean(&hint, "")),
                });
            }
        };
        let (target, args, kwargs) = match op {
            Some(Op::Output) if !self.is_long_output() => (Target::Output, [self.output()?].into(), Box::default()),
            op => {
                let target = self.target(op.unwrap_or(Op::Output))?;
                self.lexer.expect("(", "`(` and the arguments")?;
                let (args, kwargs) = self.arguments(&target)?;
                (target, args, kwargs)
            }
        };
        let mut meta = Meta::default();
        self.clause(&mut meta)?;
        self.nodes.push(Written { name, target, args, kwargs, meta });
        Ok(())
    }

    /// Whether an output is written as a call, `output output(…)`: one of no value or of several, which is not correct.
    fn is_long_output(&mut self) -> bool {
        let start = *self.lexer;
        let found = self.lexer.eat_word("output") && self.lexer.eat("(");
        *self.lexer = start;
        found
    }

    fn target(&mut self, op: Op) -> Result<Target> {
        let kind = match op {
            Op::Placeholder => {
                return Ok(Target::Placeholder(self.lexer.name("the name of the parameter")?.into()));
            }
            Op::GetAttr => return Ok(Target::GetAttr(self.path()?)),
            Op::CallModule => return Ok(Target::CallModule(self.path()?)),
            Op::Output => {
                self.lexer.eat_word("output");
                return Ok(Target::Output);
            }
            Op::CallFunction => CallKind::Function,
            Op::CallMethod => CallKind::Method,
        };
        self.lexer.peek();
        let start = self.lexer.at;
        let name = match self.lexer.rust_path() {
            Some(path) => path.into(),
            None => self.lexer.name("an operation")?,
        };
        match self.ops.get(kind, &name) {
            Some(op) => Ok(Target::call(op)),
            None => Err(self.unknown_operation(start, kind, &name)),
        }
    }

    fn path(&mut self) -> Result<crate::ir::ModulePath> {
        Ok(crate::ir::ModulePath::new(&*self.lexer.dotted("a path, like `encoder.layers.0`")?))
    }

    #[cold]
    fn unknown_operation(&self, start: usize, kind: CallKind, name: &str) -> Box<Fault> {
        let (word, other, opcode) = match kind {
            CallKind::Function => ("function", CallKind::Method, "call_method"),
            CallKind::Method => ("method", CallKind::Function, "call_function"),
        };
        let kinds = self.ops.iter().filter(|op| op.kind == kind).map(|op| op.name);
        let hint = if self.ops.get(other, name).is_some() {
            Some(format!("it is called by `{opcode}`"))
        } else {
            let function = match kind {
                CallKind::Function => ", with `fx::op_of!(…)` for a function with `#[fx::wrap]`",
                CallKind::Method => "",
            };
            let own = || {
                format!(
                    "operations of your own are read with `Graph::parse` or `GraphModule::load_with` and a table that has \
                     them: `OpTable::builtin().clone().with(&[…])`{function}"
                )
            };
            did_you_mean(&nearest(name, kinds, 3), "").or_else(|| Some(own()))
        };
        self.lexer.fault(start, ParseErrorKind::UnknownOperation { kind: word, name: shortened(name) }).hint(hint)
    }

    /// All arguments of a call, behind the `(`: those by position, and those by name.
    fn arguments(&mut self, target: &Target) -> Result<Arguments> {
        let (mut args, mut kwargs) = (Vec::new(), Vec::new());
        while !self.lexer.eat(")") {
            match self.keyword(target)? {
                Some(keyword) => kwargs.push((keyword, self.argument(Argument::MAX_DEPTH)?)),
                None if kwargs.is_empty() => args.push(self.argument(Argument::MAX_DEPTH)?),
                None => return Err(self.lexer.expected("an argument by name, like `dim = 1`, after others by name")),
            }
            if !self.lexer.eat(",") {
                self.lexer.expect(")", "`,` or `)`")?;
                break;
            }
        }
        Ok((args.into(), kwargs.into()))
    }

    /// `dim =`, if it comes next.
    fn keyword(&mut self, target: &Target) -> Result<Option<Keyword>> {
        let start = *self.lexer;
        let name = match self.lexer.peek() {
            Some(b'"') => Some(self.lexer.string()?.into()),
            _ => self.lexer.word().map(std::borrow::Cow::Borrowed),
        };
        if let Some(name) = name
            && self.lexer.eat("=")
        {
            let parameters = target.operation().map_or(&[][..], |op| op.params);
            let known = parameters.iter().find(|param| param.name == name);
            return Ok(Some(known.map_or_else(|| Keyword::shared(name), |param| param.name.into())));
        }
        *self.lexer = start;
        Ok(None)
    }

    /// The node that is named next, by the number of its first mention.
    pub(super) fn node(&mut self) -> Result<NodeId> {
        let name = self.lexer.node()?;
        let at = self.lexer.at - name.len() - 1;
        let index = match self.mentions.entry(name) {
            Entry::Occupied(mention) => mention.index(),
            Entry::Vacant(mention) => {
                let index = mention.index();
                mention.insert(Mention { at, defined: None });
                index
            }
        };
        Ok(NodeId::new(index))
    }

    fn defined_name(&mut self) -> Result<&'t str> {
        let name = self.lexer.node()?;
        self.define(name, self.lexer.at - name.len() - 1)?;
        Ok(name)
    }

    /// The node that is read now has this name.
    fn define(&mut self, name: &'t str, at: usize) -> Result<()> {
        if !is_legal_name(name) {
            let hint = format!("call it %{name}_1, and write the name of an input before it: `{name} %{name}_1`");
            return Err(self.lexer.fault(at, ParseErrorKind::IllegalName(shortened(name))).hint(hint));
        }
        let mention = self.mentions.entry(name).or_insert(Mention { at, defined: None });
        match mention.defined {
            None => mention.defined = Some((self.nodes.len(), at)),
            Some((_, first)) => {
                let kind = ParseErrorKind::Twice { name: shortened(name), first: line_of(self.lexer.text, first) };
                return Err(self.lexer.fault(at, kind));
            }
        }
        Ok(())
    }

    /// Gives the nodes in arguments the numbers of the nodes that are defined.
    fn number_nodes(&mut self, signature: Option<&mut Signature>, dynamic: Option<&mut Dynamic>) -> Result<()> {
        let mut places = Vec::with_capacity(self.mentions.len());
        for (name, mention) in &self.mentions {
            match mention.defined {
                Some((place, _)) => places.push(NodeId::new(place)),
                None => {
                    let names = self.mentions.iter().filter(|(_, other)| other.defined.is_some());
                    // All names may be too many to compare.
                    let close = nearest(name, names.map(|(name, _)| *name).take(10_000), 1);
                    let kind = ParseErrorKind::UnknownNode(shortened(name));
                    return Err(Fault::new(mention.at, name.len() + 1, kind).hint(did_you_mean(&close, "%")));
                }
            }
        }
        if places.iter().enumerate().any(|(index, place)| place.index() != index) {
            for node in &mut self.nodes {
                for argument in node.args.iter_mut().chain(node.kwargs.iter_mut().map(|(_, argument)| argument)) {
                    argument.for_each_node_mut(&mut |id| *id = places[id.index()]);
                }
            }
            if let Some(signature) = signature {
                signature.for_each_node_mut(&mut |id| *id = places[id.index()]);
            }
            for place in dynamic.into_iter().flat_map(|dynamic| &mut dynamic.sizes).flat_map(|size| &mut size.places) {
                *place = place.of(places[place.input().index()]);
            }
        }
        Ok(())
    }

    /// The device of this name, opened once.
    pub(super) fn device(&mut self, start: usize, kind: &str, ordinal: &str) -> Result<Device> {
        let name = format!("{kind}:{ordinal}");
        if let Some(device) = self.devices.get(&name) {
            return Ok(device.clone());
        }
        let Ok(ordinal) = ordinal.parse() else {
            let kind = ParseErrorKind::Number { text: shortened(ordinal), into: "the number of a device" };
            return Err(self.lexer.fault(start, kind));
        };
        let open = if kind == "cuda" { candle_core::Device::new_cuda } else { candle_core::Device::new_metal };
        let device = match (open(ordinal), self.substitute) {
            (Ok(device), _) => Device(device),
            (Err(_), Some(substitute)) => substitute.clone(),
            (Err(reason), None) => {
                let kind = ParseErrorKind::Device { name, reason: reason.to_string() };
                return Err(self
                    .lexer
                    .fault(start, kind)
                    .hint("write `cpu`, or read it where there is one".to_owned()));
            }
        };
        self.devices.insert(name, device.clone());
        Ok(device)
    }
}

/// `did you mean %x or %y?`
fn did_you_mean(names: &[&str], mark: &str) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| format!("{mark}{name}")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}
