//! Types of every form.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
#[derive(Debug, Clone)]
struct Unit;

#[fx::module]
#[derive(Debug, Clone)]
struct Empty {}

#[fx::module]
#[derive(Debug, Clone)]
struct NoFields();

#[fx::module]
#[derive(Debug, Clone)]
struct One(Linear);

#[fx::module]
#[derive(Debug, Clone)]
enum Tree {
    Leaf(One),
    Node(Box<Tree>, Box<Tree>),
    List { children: Vec<Tree>, by: f64 },
    Nothing,
    Unit(Unit),
}

#[fx::module]
enum Never {}

#[fx::module]
struct Node {
    here: Linear,
    next: Option<Box<Node>>,
    never: Option<Never>,
    empty: Empty,
    none: NoFields,
}

#[fx::module]
impl Module for Unit {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Self = self;
        x.neg()
    }
}

#[fx::module]
impl Module for One {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            One(linear) => linear.forward(x),
        }
    }
}

#[fx::module]
impl Module for Never {
    fn forward(&self, _: &Tensor) -> Result<Tensor> {
        match *self {}
    }
}

#[fx::module]
impl Module for Tree {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Leaf(one) => one.forward(x),
            Tree::Node(left, right) => right.forward(&left.forward(x)?),
            Self::List { children, by } => children.iter().try_fold(x.clone(), |y, child| child.forward(&y))? * *by,
            Tree::Nothing => Ok(x.clone()),
            Tree::Unit(unit) => unit.forward(x),
        }
    }
}

#[fx::module]
impl Tree {
    fn depth(&self) -> usize {
        match self {
            Self::Node(left, right) => 1 + left.depth().max(right.depth()),
            Self::List { children, .. } => 1 + children.iter().map(Tree::depth).max().unwrap_or(0),
            Self::Leaf(..) | Self::Nothing | Self::Unit(_) => 0,
        }
    }
}

#[fx::module]
impl Node {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Node { here, next, never, empty: Empty {}, none: _ } = self;
        let y = here.forward(x)?;
        let y = match never {
            Some(never) => never.forward(&y)?,
            None => y,
        };
        match next.as_deref() {
            Some(next) => next.forward(&y),
            None => Ok(y),
        }
    }
}

#[fx::module]
struct Model {
    tree: Tree,
    node: Node,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.node.forward(&self.tree.forward(x)?)? * self.tree.depth() as f64
    }
}

#[test]
fn it_computes_the_same() {
    let node = |next| Node { here: linear(), next, never: None, empty: Empty {}, none: NoFields() };
    let leaf = || Tree::Leaf(One(linear()));
    let children = vec![leaf(), Tree::Nothing, Tree::Unit(Unit)];
    let tree = Tree::Node(Box::new(Tree::List { children, by: 0.5 }), Box::new(leaf()));
    same(&Model { tree, node: node(Some(Box::new(node(None)))) }, |model, x| model.forward(x));
}
