impl Calls {
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let tensors = wrapped::functions::tensors(x, self.w.clone(), Some(&self.w), None)?;
        let lists = wrapped::functions::lists(
            std::slice::from_ref(x),
            &[x, &tensors],
            vec![tensors.clone()],
            &[1, 2],
            vec![3],
        )?;
        drop(tensors);
        let numbers =
            wrapped::functions::numbers(&lists, 2, f32::INFINITY, 1.0, Some(4), None, true)?;
        drop(lists);
        let others = wrapped::functions::others(
            &numbers,
            "two \"words\"",
            "three".to_string(),
            DType::F32,
            x.device(),
            (2, 0.5),
        )?;
        drop(numbers);
        let array =
            wrapped::functions::array(&others, [0.5, 1.0, 2.0], &["a", "b"], x.device().clone())?;
        drop(others);
        let infallible = wrapped::functions::infallible(&array);
        drop(array);
        let both = wrapped::functions::both(&infallible)?;
        drop(infallible);
        let getitem = both.0.clone();
        let getitem_1 = both.1.clone();
        drop(both);
        let mul = (&getitem * 2.0)?;
        drop(getitem);
        &mul + &getitem_1
    }
}
