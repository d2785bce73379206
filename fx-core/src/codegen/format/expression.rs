//! Single expressions.
//!
//! Invariant: none is given where the expression cannot be written in the columns that it may take.

use quote::{ToTokens, quote};
use syn::Expr;

use super::Shape;
use super::chain::chain;
use super::list::{self, Brackets};

/// An expression in the columns that it may take on its first line.
pub(super) fn rewrite(expression: &Expr, shape: Shape) -> Option<String> {
    let fits = |text: String| (first_width(&text) <= shape.width).then_some(text);
    match expression {
        Expr::Call(call) => {
            let callee = rewrite(&call.func, shape)?;
            list::write(&callee, Brackets::Round, &call.args.iter().collect::<Vec<_>>(), shape)
        }
        Expr::MethodCall(_) | Expr::Field(_) | Expr::Try(_) => chain(expression, shape),
        Expr::Reference(reference) => {
            let sign = if reference.mutability.is_some() { "&mut " } else { "&" };
            Some(format!("{sign}{}", rewrite(&reference.expr, shape.after(sign.len())?)?))
        }
        Expr::Unary(unary) => {
            let sign = unary.op.to_token_stream().to_string();
            Some(format!("{sign}{}", rewrite(&unary.expr, shape.after(sign.len())?)?))
        }
        Expr::Paren(paren) => Some(format!("({})", rewrite(&paren.expr, shape.after(1)?.before(1)?)?)),
        Expr::Binary(binary) => {
            let sign = binary.op.to_token_stream().to_string();
            let short = one_line(expression);
            if short.len() <= shape.width {
                return Some(short);
            }
            let left = rewrite(&binary.left, shape)?;
            let right = rewrite(&binary.right, shape.nested(shape.overhead()).after(sign.len() + 1)?)?;
            Some(format!("{left}\n{:1$}{sign} {right}", "", shape.indent + super::TAB))
        }
        Expr::Index(index) => {
            let inside = one_line(&index.index);
            let of = rewrite(&index.expr, shape.before(inside.len() + 2)?)?;
            fits(format!("{of}[{inside}]"))
        }
        Expr::Tuple(tuple) if tuple.elems.len() > 1 => {
            list::write("", Brackets::Round, &tuple.elems.iter().collect::<Vec<_>>(), shape)
        }
        Expr::Array(array) => list::write("", Brackets::Square, &array.elems.iter().collect::<Vec<_>>(), shape),
        Expr::Macro(call) => {
            let name = format!("{}!", one_line_tokens(&call.mac.path));
            if let Some(repeat) = repeated(&call.mac) {
                return list::repeated(&name, &repeat, shape);
            }
            let items = call.mac.parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated);
            match (items, &call.mac.delimiter) {
                (Ok(items), syn::MacroDelimiter::Bracket(_)) => {
                    list::write(&name, Brackets::Square, &items.iter().collect::<Vec<_>>(), shape)
                }
                (Ok(items), _) => list::write(&name, Brackets::Round, &items.iter().collect::<Vec<_>>(), shape),
                (Err(_), _) => fits(one_line(expression)),
            }
        }
        // Text is written however long it is.
        Expr::Lit(literal) if matches!(literal.lit, syn::Lit::Str(_)) => Some(one_line(expression)),
        Expr::Struct(structure) if !structure.fields.is_empty() => list::fields(structure, shape),
        _ => fits(one_line(expression)),
    }
}

/// The columns of the first line.
pub(super) fn first_width(text: &str) -> usize {
    text.lines().next().unwrap_or_default().chars().count()
}

/// What `vec![item; count]` is given.
fn repeated(call: &syn::Macro) -> Option<syn::ExprRepeat> {
    let (tokens, is_bracketed) = (&call.tokens, matches!(call.delimiter, syn::MacroDelimiter::Bracket(_)));
    syn::parse2(quote!([#tokens])).ok().filter(|_| is_bracketed)
}

/// An expression on one line, however long.
pub(in crate::codegen) fn one_line(expression: &Expr) -> String {
    let each = |items: &mut dyn Iterator<Item = &Expr>| items.map(one_line).collect::<Vec<_>>().join(", ");
    match expression {
        Expr::Call(call) => format!("{}({})", one_line(&call.func), each(&mut call.args.iter())),
        Expr::MethodCall(call) => {
            let turbofish = call.turbofish.as_ref().map(one_line_tokens).unwrap_or_default();
            format!("{}.{}{turbofish}({})", one_line(&call.receiver), call.method, each(&mut call.args.iter()))
        }
        Expr::Field(field) => format!("{}.{}", one_line(&field.base), field.member.to_token_stream()),
        Expr::Try(tried) => format!("{}?", one_line(&tried.expr)),
        Expr::Reference(reference) => {
            let sign = if reference.mutability.is_some() { "&mut " } else { "&" };
            format!("{sign}{}", one_line(&reference.expr))
        }
        Expr::Unary(unary) => format!("{}{}", unary.op.to_token_stream(), one_line(&unary.expr)),
        Expr::Paren(paren) => format!("({})", one_line(&paren.expr)),
        Expr::Binary(binary) => {
            format!("{} {} {}", one_line(&binary.left), binary.op.to_token_stream(), one_line(&binary.right))
        }
        Expr::Index(index) => format!("{}[{}]", one_line(&index.expr), one_line(&index.index)),
        Expr::Cast(cast) => format!("{} as {}", one_line(&cast.expr), one_line_tokens(&cast.ty)),
        Expr::Tuple(tuple) if tuple.elems.len() == 1 => format!("({},)", one_line(&tuple.elems[0])),
        Expr::Tuple(tuple) => format!("({})", each(&mut tuple.elems.iter())),
        Expr::Array(array) => format!("[{}]", each(&mut array.elems.iter())),
        Expr::Range(range) => {
            let end = |end: &Option<Box<Expr>>| end.as_deref().map(one_line).unwrap_or_default();
            let limits = range.limits.to_token_stream().to_string().replace(' ', "");
            format!("{}{limits}{}", end(&range.start), end(&range.end))
        }
        Expr::Macro(call) => {
            if let Some(repeat) = repeated(&call.mac) {
                let name = one_line_tokens(&call.mac.path);
                return format!("{name}![{}; {}]", one_line(&repeat.expr), one_line(&repeat.len));
            }
            let items = call.mac.parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated);
            let Ok(items) = items else { return one_line_tokens(call) };
            let (open, close) = match call.mac.delimiter {
                syn::MacroDelimiter::Bracket(_) => ('[', ']'),
                _ => ('(', ')'),
            };
            format!("{}!{open}{}{close}", one_line_tokens(&call.mac.path), each(&mut items.iter()))
        }
        Expr::Struct(structure) => {
            let fields = structure.fields.iter().map(|field| match field.colon_token {
                Some(_) => format!("{}: {}", field.member.to_token_stream(), one_line(&field.expr)),
                None => field.member.to_token_stream().to_string(),
            });
            let mut fields: Vec<String> = fields.collect();
            fields.extend(structure.rest.as_ref().map(|rest| format!("..{}", one_line(rest))));
            let path = one_line_tokens(&structure.path);
            if fields.is_empty() { format!("{path} {{}}") } else { format!("{path} {{ {} }}", fields.join(", ")) }
        }
        Expr::Group(group) => one_line(&group.expr),
        Expr::Verbatim(tokens) => match syn::parse2(tokens.clone()) {
            Ok(Expr::Verbatim(_)) | Err(_) => one_line_tokens(tokens),
            Ok(parsed) => one_line(&parsed),
        },
        other => one_line_tokens(other),
    }
}

/// Tokens with as few blanks as rustfmt leaves between those of paths and types.
pub(in crate::codegen) fn one_line_tokens(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let tight = [
        (" :: ", "::"),
        (":: ", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        ("( ", "("),
        (" )", ")"),
        ("[ ", "["),
        (" ]", "]"),
    ];
    // Literals of text hold blanks that mean something.
    if text.contains('"') { text } else { tight.iter().fold(text, |text, (from, to)| text.replace(from, to)) }
}
