//! Segment Anything: image encoder, prompt encoder and mask decoder.

use super::prelude::*;

/// The custom operation that adds the positions of rows and of columns, by the operations that it is named after.
fn add3(hidden: &Hidden) -> Result<fx::GraphModule, Failure> {
    let [attn, rows, columns] = hidden.facts.as_slice() else { return Err("three tensors".into()) };
    let (shape, columns) = (attn.dims().to_vec(), columns.dims()[3]);
    let [batch, height, width, rows] = *rows.dims() else { return Err("four dimensions".into()) };
    hidden.capture(|_, x| {
        let attn = x[0].reshape((batch, height, width, rows, columns))?.broadcast_add(&x[1].unsqueeze(4)?)?;
        attn.broadcast_add(&x[2].unsqueeze(3)?)?.reshape(shape.clone())
    })
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            segment_anything: "image encoder",
            build: |weights| segment_anything::image_encoder::ImageEncoderViT::new(
                64,
                16,
                3,
                24,
                2,
                3,
                16,
                true,
                true,
                true,
                3,
                &[1],
                weights,
            ),
            inputs: |at| Ok([at.uniform((1, 3, 64, 64))?]),
            call: |model, x| model.forward(&x[0]),
        }
        .telling("add3", add3),
        case! {
            segment_anything: "masks of a point",
            build: |weights| {
                let prompt = segment_anything::prompt_encoder::PromptEncoder::new(32, (4, 4), (64, 64), 16, weights.pp("prompt"))?;
                let mask = segment_anything::mask_decoder::MaskDecoder::new(32, 3, 3, 32, weights.pp("mask"))?;
                Ok((prompt, mask))
            },
            inputs: |at| Ok([at.uniform((1, 32, 4, 4))?, at.uniform((1, 1, 2))?, at.ids(2, (1, 1))?.to_dtype(DType::F32)?]),
            call: |model, x| {
                let image = model.0.get_dense_pe()?;
                let (sparse, dense) = model.0.forward(Some((&x[1], &x[2])), None, None)?;
                model.1.forward(&x[0], &image, &sparse, &dense, true)
            },
        },
    ]
}
