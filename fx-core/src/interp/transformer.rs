//! [`Transformer`]: making another graph of a graph, node by node, with a hook for each opcode.
//!
//! Invariant: what no hook changes is copied with its name, as a candidate, and with all that is remembered about it.
//! What is known of a new node follows from its inputs; it is never taken over from a node that had others.

use std::sync::Arc;

use crate::entity::SecondaryMap;
use crate::ir::{Argument, BindError, Graph, Guard, Keyword, ModulePath, ModuleStack, NodeId, Op, SizeOf, Target};
use crate::module::infer_sizes::Inference;
use crate::module::inputs::{Input, bind_inputs, parameter};
use crate::module::tree::referred;
use crate::module::{Attribute, Attributes, BindInputsError, CheckErrors, GraphModule, MissingAttribute};
use crate::ops::OpRef;
use crate::value::{Fact, SymInt, SymNumber, Value};

/// Why a graph was not transformed.
///
/// The old module is as it was; there is no new one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A hook emits a call that does not fit the operation.
    #[error("{reason}\n  while transforming {line}")]
    Bind {
        /// The node that is transformed, as the old graph prints it.
        line: String,
        /// Why.
        reason: BindError,
    },
    /// A call of a child graph that is written out does not fit it.
    #[error(transparent)]
    Inputs(#[from] BindInputsError),
    /// There is no child graph at the path that is to be written out.
    #[error(transparent)]
    Missing(#[from] MissingAttribute),
    /// A hook refuses a node.
    #[error("{reason}\n  while transforming {line}")]
    Hook {
        /// The node that is transformed, as the old graph prints it.
        line: String,
        /// Why.
        reason: String,
    },
    /// A node reads one that is not before it.
    #[error("{line}\n  reads a node that is not before it; `graph.verify()` says more")]
    Order {
        /// The node as the old graph prints it.
        line: String,
    },
    /// What the nodes that it reads became makes an argument that is nested too deep.
    #[error("{line}\n  would have an argument that is nested more than {} deep", Argument::MAX_DEPTH)]
    TooDeep {
        /// The node as the old graph prints it.
        line: String,
    },
    /// The new graph is not correct.
    #[error(transparent)]
    Check(#[from] CheckErrors),
}

/// Makes another graph of a graph. Each hook says what a node becomes: any number of new nodes, of which it returns the one
/// (or the structure of several) that is read instead. The default hooks copy.
///
/// ```
/// use fx_core::interp::{Emit, TransformError, Transformer};
/// use fx_core::{ir::{Argument, Keyword}, ops::{CallKind, OpRef, OpTable}, trace::Tracer};
///
/// /// Writes `x.neg().neg()` for each `x.sqr()`.
/// struct Swap(OpRef);
///
/// impl Transformer for Swap {
///     fn call_method(
///         &mut self, at: &mut Emit<'_>, op: OpRef, args: &[Argument], kwargs: &[(Keyword, Argument)],
///     ) -> Result<Argument, TransformError> {
///         if op.name != "sqr" {
///             return at.call(op, args, kwargs);
///         }
///         let once = at.call(self.0, args, [])?;
///         at.call(self.0, [once], [])
///     }
/// }
///
/// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr()?.exp())?;
/// let neg = OpTable::builtin().get(CallKind::Method, "neg").unwrap();
/// let swapped = Swap(neg).transform(&module)?;
/// let names: Vec<&str> = swapped.graph().nodes().map(|(_, node)| node.name()).collect();
/// assert_eq!(names, ["x", "neg", "neg_1", "exp", "output"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Transformer {
    /// Its name, under which new nodes remember the node they were made out of ([`crate::ir::Origin`]).
    ///
    /// `"transform"` unless it is overridden.
    fn name(&self) -> &str {
        "transform"
    }

    /// What a node becomes: calls the hook for its opcode.
    ///
    /// Overridden, it sees every node. It returns what is read in place of the node: a node of the new graph, or plain
    /// data.
    ///
    /// # Errors
    /// What the hook refuses.
    fn run_node(&mut self, at: &mut Emit<'_>) -> Result<Argument, TransformError> {
        at.dispatch(self)
    }

    /// What an input becomes.
    ///
    /// To give a fixed value instead of an input, return it; the new graph then has one input less, and no signature.
    ///
    /// # Errors
    /// What the hook refuses.
    fn placeholder(&mut self, at: &mut Emit<'_>, name: &str) -> Result<Argument, TransformError> {
        at.emit(Target::Placeholder(name.into()), [], [])
    }

    /// What a read of a parameter, buffer or constant becomes.
    ///
    /// # Errors
    /// What the hook refuses.
    fn get_attr(&mut self, at: &mut Emit<'_>, path: &ModulePath) -> Result<Argument, TransformError> {
        at.emit(Target::GetAttr(path.clone()), [], [])
    }

    /// What a call of a function or operator becomes.
    ///
    /// Arguments are what the old ones became. [`Emit::call`] copies or replaces; returning an argument without adding
    /// a node takes the call out.
    ///
    /// # Errors
    /// What the hook refuses.
    fn call_function(
        &mut self,
        at: &mut Emit<'_>,
        op: OpRef,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
    ) -> Result<Argument, TransformError> {
        at.call(op, args, kwargs)
    }

    /// What a call of a method becomes.
    ///
    /// As [`Transformer::call_function`].
    ///
    /// # Errors
    /// What the hook refuses.
    fn call_method(
        &mut self,
        at: &mut Emit<'_>,
        op: OpRef,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
    ) -> Result<Argument, TransformError> {
        at.call(op, args, kwargs)
    }

    /// What a call of a layer or child graph becomes.
    ///
    /// [`Emit::inline`] writes a child graph out in its place.
    ///
    /// # Errors
    /// What the hook refuses.
    fn call_module(
        &mut self,
        at: &mut Emit<'_>,
        path: &ModulePath,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
    ) -> Result<Argument, TransformError> {
        at.emit(Target::CallModule(path.clone()), args, kwargs)
    }

    /// What the result becomes.
    ///
    /// It has to be added: a graph without an output is not correct.
    ///
    /// # Errors
    /// What the hook refuses.
    fn output(&mut self, at: &mut Emit<'_>, value: Argument) -> Result<Argument, TransformError> {
        at.emit(Target::Output, [value], [])
    }

    /// The transformed module; the old one is left as it is, and shares its weights. It keeps the name, the signature and
    /// with it the state if there is an input for each of the old one, whatever is computed of them first, and of the
    /// attributes those that it refers to.
    ///
    /// Nodes that nothing reads any more stay; [`GraphModule::eliminate_dead_code`] takes them out.
    ///
    /// # Errors
    /// What a hook refuses, or that the new graph is not correct.
    fn transform(&mut self, module: &GraphModule) -> Result<GraphModule, TransformError> {
        let from = module.graph();
        let mut graph = Graph::new(from.name());
        let (mut attributes, mut became) =
            (module.attributes().clone(), SecondaryMap::<NodeId, Option<Argument>>::new());
        let (mut inputs, mut inference) = (Inputs::default(), Inference::of(from));
        for (id, _) in from.nodes() {
            let pass = self.name().to_owned();
            let (graph, attributes, inputs, inference) = (&mut graph, &mut attributes, &mut inputs, &mut inference);
            let mut at = Emit { from, id, graph, attributes, became: &became, inputs, inference, pass: &pass };
            let made = self.run_node(&mut at)?;
            became[id] = Some(made);
        }
        if let Some(signature) = from.signature() {
            let copy = signature.of_copy(&graph, |id| inputs.became[id]);
            graph.set_signature(copy);
        }
        let dynamic = from.dynamic().map(|dynamic| dynamic.mapped(&mut |id| inputs.became[id]));
        if let Some(mut dynamic) = dynamic {
            // Those of graphs that were written out.
            let more = graph.dynamic().map_or(&[][..], |inside| &inside.guards);
            dynamic.guards.extend(more.iter().filter(|guard| !from_guards(from).contains(guard)).cloned());
            graph.set_dynamic(Some(dynamic));
        }
        let attributes = referred(&graph, &attributes);
        let mut transformed = GraphModule::new(graph, attributes)?;
        transformed.set_training_flag(module.is_training());
        transformed.set_class_name(module.class_name());
        transformed.set_kept(module.kept().clone());
        Ok(transformed)
    }
}

fn from_guards(from: &Graph) -> &[Guard] {
    from.dynamic().map_or(&[], |dynamic| &dynamic.guards)
}

/// An expression in terms of what sizes are where a graph is called.
fn substituted(of: &SymInt, sizes: &[(Arc<str>, SymInt)]) -> Option<SymInt> {
    of.substitute(&mut |name| sizes.iter().find_map(|(known, size)| (known == name).then(|| size.clone()))).ok()?
}

/// The inputs of the new graph.
#[derive(Default)]
struct Inputs {
    /// By old input: the first one that was emitted for it.
    became: SecondaryMap<NodeId, Option<NodeId>>,
    last: Option<NodeId>,
}

/// The node that is transformed, and the end of the new graph.
///
/// What a hook is given to work with. Nodes are added at the end of the new graph, and remember what they were made of.
pub struct Emit<'t> {
    from: &'t Graph,
    id: NodeId,
    graph: &'t mut Graph,
    attributes: &'t mut Attributes,
    became: &'t SecondaryMap<NodeId, Option<Argument>>,
    inputs: &'t mut Inputs,
    inference: &'t mut Inference,
    pass: &'t str,
}

impl<'t> Emit<'t> {
    /// The old graph.
    #[must_use]
    pub fn from(&self) -> &'t Graph {
        self.from
    }

    /// The old node.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The new graph, as far as it is.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.graph
    }

    /// The attributes of the new module: those of the old one, and what hooks add.
    ///
    /// What nothing refers to in the end is left out.
    pub fn attributes_mut(&mut self) -> &mut Attributes {
        self.attributes
    }

    /// What is known of a new value.
    ///
    /// Shape and dtype, as far as the rules say, so that a hook can decide by them.
    #[must_use]
    pub fn fact(&self, value: &Argument) -> Fact {
        value.fact(&mut |id| self.graph.try_node(id).map_or(Fact::Unknown, |node| node.meta().fact.clone()))
    }

    /// An error that says at which node a hook failed.
    ///
    /// ```
    /// use fx_core::interp::{Emit, TransformError, Transformer};
    /// use fx_core::ir::{Argument, ModulePath};
    ///
    /// /// Allows no constants.
    /// struct Pure;
    ///
    /// impl Transformer for Pure {
    ///     fn get_attr(&mut self, at: &mut Emit<'_>, path: &ModulePath) -> Result<Argument, TransformError> {
    ///         Err(at.refuse(format!("`{path}` is read")))
    ///     }
    /// }
    ///
    /// let one = candle_core::Tensor::new(1f32, &candle_core::Device::Cpu)?;
    /// let module = fx_core::trace::Tracer::new().trace_with(&(one,), |(one,), inputs| inputs.tensor("x")?.add(one))?;
    /// let error = Pure.transform(&module).unwrap_err();
    /// assert!(error.to_string().starts_with("`0` is read\n  while transforming"), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn refuse(&self, reason: impl Into<String>) -> TransformError {
        TransformError::Hook { line: self.from.node_line(self.id), reason: reason.into() }
    }

    /// Transforms the node by the transformer's hook for its opcode, with what the nodes in its arguments became.
    ///
    /// # Errors
    /// What the hook refuses.
    pub fn dispatch(&mut self, transformer: &mut (impl Transformer + ?Sized)) -> Result<Argument, TransformError> {
        let node = self.from.node(self.id);
        let args = node.args().iter().map(|argument| self.new_argument(argument)).collect::<Result<Vec<_>, _>>()?;
        let kwargs =
            node.kwargs().iter().map(|(keyword, argument)| Ok((keyword.clone(), self.new_argument(argument)?)));
        let kwargs = kwargs.collect::<Result<Vec<_>, TransformError>>()?;
        match node.target() {
            Target::Placeholder(name) => transformer.placeholder(self, name),
            Target::GetAttr(path) => transformer.get_attr(self, path),
            Target::CallFunction(op) => transformer.call_function(self, op, &args, &kwargs),
            Target::CallMethod(op) => transformer.call_method(self, op, &args, &kwargs),
            Target::CallModule(path) => transformer.call_module(self, path, &args, &kwargs),
            Target::Output => transformer.output(self, args.into_iter().next().unwrap_or_default()),
        }
    }

    /// An argument of the old graph with what its nodes became.
    fn new_argument(&self, argument: &Argument) -> Result<Argument, TransformError> {
        argument
            .try_map_nodes(&mut |id| self.became[id].clone())
            .ok_or_else(|| TransformError::Order { line: self.from.node_line(self.id) })
    }

    /// Adds a call of an operation.
    ///
    /// By the opcode that goes with how Rust writes it.
    ///
    /// # Errors
    /// When the operation does not take these arguments.
    pub fn call(
        &mut self,
        op: OpRef,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> Result<Argument, TransformError> {
        self.emit(Target::call(op), args, kwargs)
    }

    /// Adds a node at the end, an input after the inputs. If it does what the old node does, it takes its name; it
    /// remembers where the old one came from.
    ///
    /// # Errors
    /// When the target is an operation that does not take these arguments, or one is nested deeper than
    /// [`Argument::MAX_DEPTH`].
    ///
    /// # Panics
    /// If a node in the arguments is not of the new graph.
    pub fn emit(
        &mut self,
        target: Target,
        args: impl Into<Box<[Argument]>>,
        kwargs: impl Into<Box<[(Keyword, Argument)]>>,
    ) -> Result<Argument, TransformError> {
        let (args, kwargs) = (args.into(), kwargs.into());
        let mut each = args.iter().chain(kwargs.iter().map(|(_, argument)| argument));
        if each.any(|argument| argument.is_deeper_than(Argument::MAX_DEPTH)) {
            return Err(TransformError::TooDeep { line: self.from.node_line(self.id) });
        }
        let old = self.from.node(self.id);
        let is_copy = *old.target() == target;
        let name = is_copy.then(|| old.name());
        let fact = self.fact_of(&target, &args, &kwargs);
        let is_input = target.op() == Op::Placeholder;
        let mut cursor = match self.inputs.last {
            _ if !is_input => self.graph.at_end(),
            Some(last) => self.graph.inserting_after(last),
            None => self.graph.at_start(),
        };
        let made = cursor.create_node(target, args, kwargs, name);
        let made = made.map_err(|reason| TransformError::Bind { line: self.from.node_line(self.id), reason })?;
        let mut meta = old.meta().clone();
        meta.fact = fact;
        meta.add_origin(crate::ir::Origin {
            pass: self.pass.into(),
            node: old.name().into(),
            graph: self.from.name().into(),
        });
        *self.graph.meta_mut(made) = meta;
        if is_input {
            self.inputs.last = Some(made);
            if old.op() == Op::Placeholder {
                self.inputs.became[self.id].get_or_insert(made);
            }
        }
        Ok(Argument::Node(made))
    }

    /// Writes out a child graph in place of a call of it: its nodes, reading these arguments, and its attributes under
    /// their full paths. What its output would read is returned.
    ///
    /// # Errors
    /// When there is no child graph at this path, or it does not take these arguments.
    pub fn inline(
        &mut self,
        path: &ModulePath,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
    ) -> Result<Argument, TransformError> {
        let child = match self.attributes.fetch(path) {
            Some(Attribute::Module(child)) => child,
            other => {
                let found = other.map_or_else(|| "absent".to_owned(), |attribute| attribute.to_string());
                return Err(MissingAttribute { path: path.clone(), expected: "a graph", found }.into());
            }
        };
        let inside = child.graph();
        let mut became = SecondaryMap::<NodeId, Option<Argument>>::new();
        for (id, input) in inside.placeholders().zip(bind_inputs(inside, args, kwargs)?) {
            became[id] = Some(match input {
                Input::Given(argument) => argument.clone(),
                Input::Default(value) => self.written(&path.child(parameter(inside.node(id))), value)?,
            });
        }
        let sizes = self.inlined_sizes(inside, &became);
        self.inline_guards(inside, &sizes)?;
        for (id, node) in inside.nodes() {
            let outer = node.target().path().map(|inner| self.outer_path(path, &child, inner)).unwrap_or_default();
            let order = || TransformError::Order { line: inside.node_line(id) };
            let size = || self.refuse(format!("the sizes of `{path}` are not known where it is called"));
            let new = |argument: &Argument| {
                let argument = argument.map_expressions(&mut |of| substituted(of, &sizes)).ok_or_else(size)?;
                argument.try_map_nodes(&mut |id| became[id].clone()).ok_or_else(order)
            };
            let target = match node.target() {
                Target::Placeholder(_) => continue,
                Target::Output => return new(node.args().first().unwrap_or(&Argument::None)),
                Target::GetAttr(_) => Target::GetAttr(outer),
                Target::CallModule(_) => Target::CallModule(outer),
                call => call.clone(),
            };
            let args = node.args().iter().map(new).collect::<Result<Vec<_>, _>>()?;
            let kwargs = node.kwargs().iter().map(|(keyword, argument)| Ok((keyword.clone(), new(argument)?)));
            let kwargs = kwargs.collect::<Result<Vec<_>, TransformError>>()?;
            let made = self.emit(target, args, kwargs)?;
            if let Some(made) = made.as_node() {
                self.remember(made, inside, id);
            }
            became[id] = Some(made);
        }
        Ok(Argument::None)
    }

    /// A value as an argument; the tensors in it become attributes at this path.
    fn written(&mut self, path: &ModulePath, value: &Value) -> Result<Argument, TransformError> {
        let mut each = |items: &[Value]| items.iter().map(|item| self.written(path, item)).collect::<Result<_, _>>();
        Ok(match value {
            Value::Tensor(tensor) => {
                let attribute = Attribute::from(tensor.clone());
                let path = self.attributes.free_path(path, Some(&attribute));
                self.attributes.insert(path.clone(), attribute);
                self.emit(Target::GetAttr(path), [], [])?
            }
            Value::List(items) => Argument::List(each(items)?),
            Value::Tuple(items) => Argument::Tuple(each(items)?),
            Value::Struct(name, fields) => {
                let fields = fields.iter().map(|(field, item)| Ok((field.clone(), self.written(path, item)?)));
                Argument::structure(name.clone(), fields.collect::<Result<Box<[_]>, TransformError>>()?)
            }
            plain => Argument::from_value(plain).unwrap_or_default(),
        })
    }

    /// Where something of the child graph at `path` is from here. At the path itself is the graph; what is all of the child,
    /// a layer that was captured by itself, gets a path beside it.
    fn outer_path(&mut self, path: &ModulePath, child: &GraphModule, inner: &ModulePath) -> ModulePath {
        match child.attributes().get(inner) {
            Some(attribute) if inner.is_root() => {
                let beside = self.attributes.free_path(path, Some(attribute));
                self.attributes.insert(beside.clone(), attribute.clone());
                beside
            }
            _ => path.join(inner),
        }
    }

    /// What the sizes of a child graph are where it is called, as far as that is known.
    fn inlined_sizes(
        &self,
        inside: &Graph,
        became: &SecondaryMap<NodeId, Option<Argument>>,
    ) -> Vec<(Arc<str>, SymInt)> {
        let sizes = inside.dynamic().map_or(&[][..], |dynamic| &dynamic.sizes);
        let value = |place: &SizeOf| {
            let given = became[place.input()].as_ref()?;
            match (place, given) {
                (SizeOf::Value(_), Argument::Int(int)) => Some((*int).into()),
                (SizeOf::Value(_), Argument::SymInt(expression)) => Some(expression.clone()),
                (SizeOf::Value(_), _) => None,
                (SizeOf::Extent(_, axis), given) => match self.fact(given) {
                    Fact::Tensor(fact) => match fact.extents() {
                        Some(extents) => extents.get(*axis).cloned(),
                        None => Some(i64::try_from(*fact.dims().get(*axis)?).ok()?.into()),
                    },
                    _ => None,
                },
            }
        };
        sizes.iter().filter_map(|size| Some((size.name.clone(), size.places.iter().find_map(value)?))).collect()
    }

    /// The guards of a child graph become those of the graph that it is written into.
    fn inline_guards(&mut self, inside: &Graph, sizes: &[(Arc<str>, SymInt)]) -> Result<(), TransformError> {
        let guards = inside.dynamic().map_or(&[][..], |dynamic| &dynamic.guards);
        let mut all = self.graph.dynamic().cloned().unwrap_or_default();
        for guard in guards {
            let side = |side: &SymNumber| side.map_ints(&mut |of| substituted(of, sizes));
            let sides = (side(&guard.left), side(&guard.right));
            let (Some(left), Some(right)) = sides else {
                return Err(self.refuse(format!("`{guard}` cannot be checked where the graph is called")));
            };
            if left.is_constant() && right.is_constant() {
                if guard.relation.holds(left.hint(), right.hint()) {
                    continue;
                }
                return Err(self.refuse(format!("the graph holds for `{guard}`, but here {left} and {right}")));
            }
            all.guards.push(Guard { left, right, ..guard.clone() });
        }
        if !all.guards.is_empty() {
            self.graph.set_dynamic(Some(all));
        }
        Ok(())
    }

    /// A node that was written out keeps its name and what is remembered about it; it came from there and from the call.
    fn remember(&mut self, made: NodeId, inside: &Graph, id: NodeId) {
        let node = inside.node(id);
        self.graph.rename(made, node.name());
        let meta = self.graph.meta_mut(made);
        let mut call = std::mem::take(meta);
        *meta = node.meta().clone();
        meta.fact = std::mem::take(&mut call.fact);
        if meta.source.is_none() {
            meta.source = call.source.take();
        }
        if meta.module == ModuleStack::ROOT {
            meta.module = call.module.clone();
        }
        for origin in call.from() {
            meta.add_origin(origin.clone());
        }
    }

    /// What is known of a new node: of one that does what the old one does with the same inputs, what was known of that;
    /// of others what the rules say.
    fn fact_of(&mut self, target: &Target, args: &[Argument], kwargs: &[(Keyword, Argument)]) -> Fact {
        let old = self.from.node(self.id);
        let known = &old.meta().fact;
        let is_same = *old.target() == *target && {
            let new =
                args.iter().chain(kwargs.iter().map(|(_, argument)| argument)).map(|argument| self.fact(argument));
            new.eq(old.arguments().map(|argument| argument.fact(&mut |id| self.from.node(id).meta().fact.clone())))
        };
        // What is at a path may be another thing now.
        if is_same && (known.is_unknown() || target.path().is_none()) {
            return known.clone();
        }
        let mut of = |id: NodeId| self.graph.node(id).meta().fact.clone();
        let inferred = self.inference.call(self.attributes, target, args, kwargs, &mut of).unwrap_or_default();
        if inferred.is_unknown() && is_same { known.clone() } else { inferred }
    }
}
