//! Expansions, in process, as snapshots; and the hostile cases.
//!
//! Each case of the table is what a user would write. `INSTA_UPDATE=always cargo test` rewrites the snapshots; a change
//! of them is a change of the contract with `fx-core`, and reviewed as one.

use proc_macro2::{TokenStream, TokenTree};

mod half_typed;

/// Expands every `#[fx::…]` attribute in a file, as rustc would, and prints the result.
fn expand(source: &str) -> String {
    let file: syn::File = syn::parse_str(source).expect("the case is a file");
    let mut output = TokenStream::new();
    for item in file.items {
        output.extend(expand_item(item));
    }
    let printed: syn::File =
        syn::parse2(output.clone()).unwrap_or_else(|error| panic!("{error} in expansion {output}"));
    prettyplease::unparse(&printed)
}

fn expand_item(mut item: syn::Item) -> TokenStream {
    use quote::ToTokens;
    let attrs = match &mut item {
        syn::Item::Struct(item) => &mut item.attrs,
        syn::Item::Enum(item) => &mut item.attrs,
        syn::Item::Impl(item) => &mut item.attrs,
        syn::Item::Fn(item) => &mut item.attrs,
        syn::Item::Trait(item) => &mut item.attrs,
        syn::Item::Mod(item) => &mut item.attrs,
        _ => return item.into_token_stream(),
    };
    let Some(position) = attrs.iter().position(|attribute| attribute.path().segments[0].ident == "fx") else {
        return item.into_token_stream();
    };
    let attribute = attrs.remove(position);
    let options = match &attribute.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let item = item.into_token_stream();
    match attribute.path().segments[1].ident.to_string().as_str() {
        "module" => crate::module::expand(options, item),
        "constant" => crate::constant::expand(options, item),
        "wrap" => crate::wrap::expand(options, item),
        other => panic!("no attribute `{other}`"),
    }
}

/// The messages of the `compile_error!`s in an expansion, and whether the item is still there.
fn errors(source: &str) -> String {
    let expansion = expand(source);
    let file: syn::File = syn::parse_str(&expansion).expect("the expansion is a file");
    let mut lines = String::new();
    for item in &file.items {
        match item {
            syn::Item::Macro(call) => lines.push_str(&format!("error: {}\n", call.mac.tokens)),
            syn::Item::Const(_) => lines.push_str("const\n"),
            other => lines.push_str(&format!("kept: {}\n", crate::module::kind(other))),
        }
    }
    lines
}

/// Compares with the snapshot, which begins with the author's item.
fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

macro_rules! snapshots {
    ($($name:ident: $source:literal)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), &expand($source));
        })*
    };
}

snapshots! {
    structure: r#"
        #[fx::module]
        #[derive(Debug, Clone)]
        pub struct MyModule { param: Tensor, pub linear: Linear }

        #[fx::module]
        impl Module for MyModule {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                self.linear.forward(&(x + &self.param)?)?.clamp(0.0, 1.0)
            }
        }
    "#
    field_options: r#"
        #[fx::module]
        struct Block {
            #[fx(constant)] span: Span,
            #[fx(leaf)] custom: Custom,
            #[fx(rename = "self")] attention: Attention,
            #[cfg(feature = "extra")] extra: Tensor,
        }
    "#
    generic_struct: r#"
        #[fx::module(crate = my::fx)]
        #[derive(Clone)]
        struct Residual<'a, M: Module, const N: usize> where M: Debug { inner: M, name: &'a str, ws: [Tensor; N] }

        #[fx::module]
        impl<'a, M: Module, const N: usize> Module for Residual<'a, M, N> where M: Debug {
            fn forward(&self, x: &Tensor) -> Result<Tensor> { x + self.inner.forward(x)? }
        }
    "#
    tuple_and_unit_structs: r#"
        #[fx::module]
        pub(crate) struct Wrapped(pub Linear, Option<Tensor>);

        #[fx::module]
        struct Nothing;
    "#
    enumeration: r#"
        #[fx::module]
        #[derive(Clone)]
        enum Block { Big(BigBlock), Two(Linear, Linear), Named { w: Tensor }, Skip }

        #[fx::module]
        impl Block {
            fn forward(&self, xs: &Tensor) -> Result<Tensor> {
                match self {
                    Block::Big(b) => b.forward(xs),
                    Self::Two(a, b) => xs.apply(a)?.apply(b),
                    Block::Named { w } => xs.matmul(w),
                    Block::Skip => Ok(xs.clone()),
                }
            }
        }
    "#
    methods_chosen: r#"
        #[fx::module]
        impl Attention {
            const EPS: f64 = 1e-6;
            const UNUSED: f64 = 1.0;
            /// Loads.
            pub fn new(cfg: &Config, vb: VarBuilder) -> Result<Self> { todo!() }
            fn from_weights(w: Tensor) -> Self { todo!() }
            /// Runs.
            pub fn forward(&mut self, x: &Tensor, mask: Option<&Tensor>, cache: &mut Cache, pos: usize) -> Result<Tensor> {
                if pos == 0 { self.reset() }
                let y = Self::scale(x, Self::EPS)?;
                self.attend(&y, mask)
            }
            fn reset(&mut self) { self.kv = None }
            fn scale(x: &Tensor, by: f64) -> Result<Tensor> { x * by }
            #[cfg(not(feature = "flash"))]
            fn attend(&self, x: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> { todo!() }
            fn head_dim(&self) -> usize { self.head_dim }
            fn save(&self, path: &str) -> Result<()> { todo!() }
            #[fx(skip)] fn debug(&self, x: &Tensor) {}
            #[fx(include)] fn rare(&self, n: usize) -> Vec<usize> { vec![n] }
            async fn fetch(&self, x: &Tensor) {}
        }
    "#
    parameters: r#"
        #[fx::module]
        impl Model {
            fn forward(
                &self, a: &Tensor, mut b: Tensor, c: Option<&Tensor>, d: Option<&mut Cache>, e: &[Tensor],
                f: Option<&[usize]>, g: &str, h: Option<(&Tensor, &Tensor)>, i: &mut Vec<Option<(Tensor, Tensor)>>,
                (j, k): (usize, usize), l: &[&Tensor], m: &HashMap<Key, Layer>, n: Result<Tensor, MyError>,
            ) -> Result<(Tensor, Vec<Qkv>)> {}
        }
    "#
    bodies: r#"
        #[fx::module]
        impl Model {
            fn forward(&self, x: &Tensor) -> Result<Qkv> {
                let f = |x: &Tensor| x.relu();
                let mask = crate::utils::causal_mask(3, x.device())?;
                let y = silu(&f(x)?)?;
                let s: Vec<State> = vec![helper(1); 2];
                let z = candle_nn::ops::softmax(&y, D::Minus1)?;
                let Qkv { q, k, v } = self.qkv(&z)?;
                if matches!(self.kind, Kind::A { n, .. } if n > limit(2)) { candle::bail!("no {}", name(3)) }
                struct Local { a: Tensor }
                let local = Local { a: q };
                let t = Self { w: k.clone() };
                let Self { w } = t;
                let m = Model { w };
                let n = m.heads::<usize>().collect::<Vec<Head>>();
                Ok(Qkv { q: local.a, k, v })
            }
        }
    "#
    enums_of_others: r#"
        #[fx::module]
        impl Layer {
            fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
                use crate::other::Local;
                match (&mut self.cache, self.kind, Local::A) {
                    (KvCache::Normal(cache), Kind::Wide { by }, _) => cache.append(x),
                    _ if x.dtype() == DType::F32 => Ok(self.scale(Limits::MAX)?),
                    _ => Ok(Kind::Narrow.apply(x)),
                }
            }
        }
    "#
    user_trait: r#"
        #[fx::module]
        impl Layer for Model {
            type Out = (Tensor, Tensor);
            const N: usize = 2;
            fn run(&self, x: &Tensor) -> Result<Self::Out> { x.chunk(Self::N, 0) }
        }
    "#
    module_t: r#"
        #[fx::module]
        impl candle_nn::ModuleT for Model {
            fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> { nn::ops::dropout(x, 0.1) }
        }
    "#
    function: r#"
        /// Repeats.
        #[fx::module]
        #[inline]
        pub fn repeat<'a, D: Dim>(xs: &'a Tensor, others: &[Tensor], dim: D, rope: &RotaryEmbedding, mask: Option<&Tensor>) -> Result<Vec<Qkv>> {
            let d = scale(xs, dim)?;
            Ok(vec![])
        }
    "#
    function_without_tensors: r#"
        #[fx::module]
        fn causal_mask(n: usize, device: &Device) -> Result<Tensor> { Tensor::zeros((n, n), DType::U8, device) }
    "#
    function_named_like_candles: r#"
        #[fx::module]
        pub(crate) fn silu(xs: &Tensor) -> Result<Tensor> { xs / (xs.neg()?.exp()? + 1.0)? }

        #[fx::module]
        fn gate(x: &Tensor) -> Result<Tensor> { silu(x) }
    "#
    builders: r#"
        /// A block.
        #[fx::module]
        #[allow(clippy::too_many_arguments)]
        pub fn block(dim: usize, cfg: &Config, mut vb: VarBuilder) -> Result<Func> {
            let conv = conv2d(dim, dim, 3, Default::default(), vb.pp("conv"))?;
            let vb = vb.pp("inner");
            let norm = Norm::new(dim, vb.clone())?;
            let dropout: Dropout = candle_nn::Dropout::new(0.5);
            let unrolled = unroll(3)?;
            let size = size_of::<f32>() + width(cfg);
            Ok(Func::new(move |xs| xs.apply(&conv)?.apply(&norm)?.apply(&inner(&vb)?)))
        }

        #[fx::module]
        fn blocks<'a>(vb: &candle_nn::VarBuilder<'a>) -> Result<Vec<FuncT<'a>>> {
            let mut blocks: Vec<FuncT<'a>> = Vec::new();
            blocks.push(block(3, vb)?);
            Ok(blocks)
        }

        #[fx::module]
        fn unnamed(dim: usize, vb: VarBuilder) -> Result<impl Module> {
            let linear = linear(dim, dim, vb)?;
            Ok(candle_nn::func(move |xs| xs.apply(&linear)))
        }

        #[fx::module]
        fn unroll(size: usize) -> Result<Func<'static>> {
            Ok(Func::new(move |xs| xs.reshape((size, ()))))
        }

        #[fx::module]
        pub struct Vgg<'a> { blocks: Vec<FuncT<'a>> }

        #[fx::module]
        impl<'a> Vgg<'a> {
            #[fx(include)]
            pub fn new(vb: VarBuilder<'a>) -> Result<Self> {
                let blocks = blocks(&vb)?;
                Ok(Self { blocks })
            }
        }
    "#
    constant: r#"
        #[fx::constant]
        #[derive(Debug, Clone, Copy)]
        pub enum Pool<T: Copy> { Cls, Mean(T) }
    "#
    trait_for_both_worlds: r#"
        /// A part of a model.
        #[fx::module]
        pub trait Block {
            fn forward(&self, x: &Tensor, qkv: &Qkv) -> Result<Tensor>;
            fn depth(&self) -> usize { 1 }
        }
        #[fx::module(mirrored)]
        impl Block for Big {
            fn forward(&self, x: &Tensor, qkv: &Qkv) -> Result<Tensor> { x.relu() }
        }
        #[fx::module(mirrored)]
        impl Split for Tensor {
            fn halves<D: Dim>(&self, dim: D) -> Result<Vec<Tensor>> { self.chunk(2, dim) }
        }
    "#
    function_of_a_type: r#"
        #[fx::module]
        impl Softmax {
            pub fn apply(x: &Tensor, dim: D) -> Result<Tensor> { Self::scaled(x)?.exp() }
            fn scaled(x: &Tensor) -> Result<Tensor> { x * 2.0 }
        }
    "#
    function_of_a_holder: r#"
        #[fx::module]
        fn attention(qkv: &Qkv, heads: usize) -> Result<Tensor> { qkv.q.matmul(&qkv.k) }
    "#
    what_a_forward_makes: r#"
        #[fx::module]
        impl Norm {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let y = LayerNorm::new_no_bias(x.clone(), self.eps).forward(x)?;
                let y = Layer::new(self.eps).forward(&y)?;
                let y = y.apply_op1_no_bwd(&NonZero {})?.apply_op2_no_bwd(x, &self.op)?;
                nn::Activation::Gelu.forward(&y)
            }
        }
    "#
    wrapped: r#"
        /// Chooses experts.
        #[fx::wrap]
        pub fn route(x: &Tensor, k: usize) -> Result<(Tensor, Tensor)> { todo!() }
    "#
}

/// What the attributes refuse: one case a line, all in one snapshot, so that the messages are read together.
const REFUSED: &[&str] = &[
    "#[fx::module] mod layers {}",
    "#[fx::module] trait Layer: Module { fn forward_twice(&self, x: &Tensor) -> Result<Tensor> { todo!() } }",
    "#[fx::module(mirrored)] impl Layer { fn forward(&self, x: &Tensor) -> Result<Tensor> { todo!() } }",
    "#[fx::constant] fn f() {}",
    "#[fx::wrap] struct S;",
    "#[fx::module(leaf, other = 3)] struct S { #[fx(const)] a: A, #[fx(leaf, leaf)] b: B, #[fx(constant, leaf)] c: C }",
    "#[fx::module] impl S { #[fx(leaf)] fn forward(&self) {} }",
    "#[fx::constant] #[derive(Debug)] struct Config { n: usize }",
    "#[fx::module] impl S { async fn forward(&self, x: &Tensor) {} unsafe fn forward_t(&self, x: &Tensor) {} }",
    "#[fx::module] async fn f(x: &Tensor) {}",
    "#[fx::module] fn f<M: Module>(x: &Tensor, m: &M) -> Result<Tensor> { m.forward(x) }",
    "#[fx::module] impl Module for &S { fn forward(&self, x: &Tensor) -> Result<Tensor> { todo!() } }",
    "#[fx::wrap] fn f(n: usize) -> usize { n }",
    "#[fx::module] const fn f(vb: VarBuilder) -> Func { todo!() }",
    "#[fx::module] fn f(vb: VarBuilder) -> Result<(impl Module, impl Fn())> { todo!() }",
    "#[fx::module] fn f<M: Module>(vb: VarBuilder, m: M) -> Result<Func> { todo!() }",
    "#[fx::wrap] fn f<D: Dim>(x: &Tensor, d: D) -> Result<Tensor> { todo!() }",
];

#[test]
fn messages() {
    let text: String = REFUSED.iter().map(|case| format!("{case}\n{}\n", errors(case))).collect();
    check("messages", &text);
}

/// A name of the user's must not change what generated code means: all it uses is absolute or begins with `__fx`.
#[test]
fn output_does_not_use_bare_names() {
    let hostile = [
        "Option",
        "Some",
        "None",
        "Result",
        "Ok",
        "Err",
        "Vec",
        "String",
        "Box",
        "Clone",
        "Default",
        "From",
        "Into",
        "Iterator",
        "Traceable",
        "Scope",
        "Proxy",
        "vec",
        "concat",
        "module_path",
    ];
    let source = r#"
        #[fx::module]
        #[derive(Clone)]
        struct A<M: Layer> { a: M, #[fx(constant)] b: X, #[fx(leaf)] c: Y }
        #[fx::module]
        impl B { fn forward(&mut self, a: &[X], b: &str) -> X { helper(a) } }
        #[fx::constant]
        #[derive(Clone)]
        struct C;
        #[fx::wrap]
        fn d(x: &Tensor) -> X { x }
    "#;
    let tokens: TokenStream = expand(source).parse().expect("the expansion is tokens");
    let mut found = Vec::new();
    bare_names(tokens, &hostile, &mut found);
    // The user's own derives.
    found.retain(|name| name != "Clone");
    assert!(found.is_empty(), "bare names in the output: {found:?}");
}

fn bare_names(tokens: TokenStream, hostile: &[&str], found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (position, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => bare_names(group.stream(), hostile, found),
            TokenTree::Ident(name) => {
                let in_path =
                    position > 0 && matches!(&tokens[position - 1], TokenTree::Punct(punct) if punct.as_char() == ':');
                if !in_path && hostile.contains(&name.to_string().as_str()) {
                    found.push(name.to_string());
                }
            }
            _ => {}
        }
    }
}
