// Generated from the op table, one call per sample; see tests/ops.rs.

use candle_core::{D, DType, Device, IndexOp, Result, Tensor};
use fx::Value;
use fx::ops::IntoValue;

struct FunctionAdd0;

impl FunctionAdd0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1 + in_2
    }
}

struct FunctionAdd1;

impl FunctionAdd1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 + 0.5
    }
}

struct FunctionAdd2;

impl FunctionAdd2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 + 2.0
    }
}

struct FunctionAdd3;

impl FunctionAdd3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        0.5 + in_1
    }
}

struct FunctionAdd4;

impl FunctionAdd4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        2.0 + in_1
    }
}

struct FunctionAdd5;

impl FunctionAdd5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 + 2.0
    }
}

struct FunctionAdd8;

impl FunctionAdd8 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 + f64::from_bits(0xfff8000000000000)
    }
}

struct FunctionAdd9;

impl FunctionAdd9 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 + f64::from_bits(0x7ff8000000000007)
    }
}

struct FunctionSub0;

impl FunctionSub0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1 - in_2
    }
}

struct FunctionSub1;

impl FunctionSub1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 - 0.5
    }
}

struct FunctionSub2;

impl FunctionSub2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 - 2.0
    }
}

struct FunctionSub3;

impl FunctionSub3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        0.5 - in_1
    }
}

struct FunctionSub4;

impl FunctionSub4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        2.0 - in_1
    }
}

struct FunctionSub5;

impl FunctionSub5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 - 2.0
    }
}

struct FunctionMul0;

impl FunctionMul0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1 * in_2
    }
}

struct FunctionMul1;

impl FunctionMul1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 * 0.5
    }
}

struct FunctionMul2;

impl FunctionMul2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 * 2.0
    }
}

struct FunctionMul3;

impl FunctionMul3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        0.5 * in_1
    }
}

struct FunctionMul4;

impl FunctionMul4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        2.0 * in_1
    }
}

struct FunctionMul5;

impl FunctionMul5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 * 2.0
    }
}

struct FunctionDiv0;

impl FunctionDiv0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1 / in_2
    }
}

struct FunctionDiv1;

impl FunctionDiv1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 / 0.5
    }
}

struct FunctionDiv2;

impl FunctionDiv2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 / 2.0
    }
}

struct FunctionDiv3;

impl FunctionDiv3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        0.5 / in_1
    }
}

struct FunctionDiv4;

impl FunctionDiv4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        2.0 / in_1
    }
}

struct FunctionDiv5;

impl FunctionDiv5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1 / 2.0
    }
}

struct FunctionGetitem0;

impl FunctionGetitem0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        Ok([in_1, in_2][1].clone())
    }
}

struct MethodRelu0;

impl MethodRelu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu1;

impl MethodRelu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu2;

impl MethodRelu2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu3;

impl MethodRelu3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu4;

impl MethodRelu4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu5;

impl MethodRelu5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu6;

impl MethodRelu6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodRelu7;

impl MethodRelu7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.relu()
    }
}

struct MethodGelu0;

impl MethodGelu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu1;

impl MethodGelu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu2;

impl MethodGelu2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu3;

impl MethodGelu3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu4;

impl MethodGelu4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu5;

impl MethodGelu5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu6;

impl MethodGelu6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGelu7;

impl MethodGelu7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu()
    }
}

struct MethodGeluErf0;

impl MethodGeluErf0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf1;

impl MethodGeluErf1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf2;

impl MethodGeluErf2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf3;

impl MethodGeluErf3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf4;

impl MethodGeluErf4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf5;

impl MethodGeluErf5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf6;

impl MethodGeluErf6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodGeluErf7;

impl MethodGeluErf7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gelu_erf()
    }
}

struct MethodSilu0;

impl MethodSilu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu1;

impl MethodSilu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu2;

impl MethodSilu2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu3;

impl MethodSilu3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu4;

impl MethodSilu4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu5;

impl MethodSilu5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu6;

impl MethodSilu6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodSilu7;

impl MethodSilu7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.silu()
    }
}

struct MethodTanh0;

impl MethodTanh0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.tanh()
    }
}

struct MethodTanh1;

impl MethodTanh1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.tanh()
    }
}

struct MethodTanh2;

impl MethodTanh2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.tanh()
    }
}

struct MethodTanh3;

impl MethodTanh3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.tanh()
    }
}

struct MethodTanh4;

impl MethodTanh4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.tanh()
    }
}

struct MethodErf0;

impl MethodErf0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf1;

impl MethodErf1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf2;

impl MethodErf2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf3;

impl MethodErf3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf4;

impl MethodErf4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf5;

impl MethodErf5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf6;

impl MethodErf6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodErf7;

impl MethodErf7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.erf()
    }
}

struct MethodExp0;

impl MethodExp0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.exp()
    }
}

struct MethodExp1;

impl MethodExp1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.exp()
    }
}

struct MethodExp2;

impl MethodExp2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.exp()
    }
}

struct MethodExp3;

impl MethodExp3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.exp()
    }
}

struct MethodExp4;

impl MethodExp4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.exp()
    }
}

struct MethodLog0;

impl MethodLog0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log()
    }
}

struct MethodLog1;

impl MethodLog1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log()
    }
}

struct MethodLog2;

impl MethodLog2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log()
    }
}

struct MethodLog3;

impl MethodLog3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log()
    }
}

struct MethodLog4;

impl MethodLog4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log()
    }
}

struct MethodSin0;

impl MethodSin0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sin()
    }
}

struct MethodSin1;

impl MethodSin1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sin()
    }
}

struct MethodSin2;

impl MethodSin2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sin()
    }
}

struct MethodSin3;

impl MethodSin3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sin()
    }
}

struct MethodSin4;

impl MethodSin4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sin()
    }
}

struct MethodCos0;

impl MethodCos0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cos()
    }
}

struct MethodCos1;

impl MethodCos1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cos()
    }
}

struct MethodCos2;

impl MethodCos2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cos()
    }
}

struct MethodCos3;

impl MethodCos3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cos()
    }
}

struct MethodCos4;

impl MethodCos4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cos()
    }
}

struct MethodAbs0;

impl MethodAbs0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs1;

impl MethodAbs1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs2;

impl MethodAbs2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs3;

impl MethodAbs3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs4;

impl MethodAbs4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs5;

impl MethodAbs5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs6;

impl MethodAbs6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodAbs7;

impl MethodAbs7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.abs()
    }
}

struct MethodNeg0;

impl MethodNeg0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.neg()
    }
}

struct MethodNeg1;

impl MethodNeg1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.neg()
    }
}

struct MethodNeg2;

impl MethodNeg2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.neg()
    }
}

struct MethodNeg3;

impl MethodNeg3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.neg()
    }
}

struct MethodNeg4;

impl MethodNeg4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.neg()
    }
}

struct MethodRecip0;

impl MethodRecip0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.recip()
    }
}

struct MethodRecip1;

impl MethodRecip1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.recip()
    }
}

struct MethodRecip2;

impl MethodRecip2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.recip()
    }
}

struct MethodRecip3;

impl MethodRecip3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.recip()
    }
}

struct MethodRecip4;

impl MethodRecip4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.recip()
    }
}

struct MethodSqr0;

impl MethodSqr0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqr()
    }
}

struct MethodSqr1;

impl MethodSqr1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqr()
    }
}

struct MethodSqr2;

impl MethodSqr2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqr()
    }
}

struct MethodSqr3;

impl MethodSqr3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqr()
    }
}

struct MethodSqr4;

impl MethodSqr4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqr()
    }
}

struct MethodSqrt0;

impl MethodSqrt0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqrt()
    }
}

struct MethodSqrt1;

impl MethodSqrt1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqrt()
    }
}

struct MethodSqrt2;

impl MethodSqrt2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqrt()
    }
}

struct MethodSqrt3;

impl MethodSqrt3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqrt()
    }
}

struct MethodSqrt4;

impl MethodSqrt4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sqrt()
    }
}

struct MethodCeil0;

impl MethodCeil0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil1;

impl MethodCeil1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil2;

impl MethodCeil2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil3;

impl MethodCeil3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil4;

impl MethodCeil4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil5;

impl MethodCeil5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil6;

impl MethodCeil6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodCeil7;

impl MethodCeil7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ceil()
    }
}

struct MethodFloor0;

impl MethodFloor0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor1;

impl MethodFloor1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor2;

impl MethodFloor2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor3;

impl MethodFloor3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor4;

impl MethodFloor4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor5;

impl MethodFloor5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor6;

impl MethodFloor6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodFloor7;

impl MethodFloor7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.floor()
    }
}

struct MethodRound0;

impl MethodRound0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound1;

impl MethodRound1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound2;

impl MethodRound2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound3;

impl MethodRound3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound4;

impl MethodRound4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound5;

impl MethodRound5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound6;

impl MethodRound6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodRound7;

impl MethodRound7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round()
    }
}

struct MethodSign0;

impl MethodSign0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign1;

impl MethodSign1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign2;

impl MethodSign2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign3;

impl MethodSign3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign4;

impl MethodSign4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign5;

impl MethodSign5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign6;

impl MethodSign6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodSign7;

impl MethodSign7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sign()
    }
}

struct MethodRoundTo0;

impl MethodRoundTo0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round_to(1)
    }
}

struct MethodRoundTo1;

impl MethodRoundTo1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round_to(-1)
    }
}

struct MethodRoundTo2;

impl MethodRoundTo2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round_to(0)
    }
}

struct MethodRoundTo3;

impl MethodRoundTo3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.round_to(1)
    }
}

struct MethodPowf0;

impl MethodPowf0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.powf(0.5)
    }
}

struct MethodPowf1;

impl MethodPowf1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.powf(2.0)
    }
}

struct MethodPowf2;

impl MethodPowf2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.powf(-1.0)
    }
}

struct MethodElu0;

impl MethodElu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.elu(1.0)
    }
}

struct MethodElu1;

impl MethodElu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.elu(0.1)
    }
}

struct MethodElu2;

impl MethodElu2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.elu(2.0)
    }
}

struct MethodAffine0;

impl MethodAffine0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.affine(2.0, -0.5)
    }
}

struct MethodAffine1;

impl MethodAffine1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.affine(0.5, 0.0)
    }
}

struct MethodAffine2;

impl MethodAffine2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.affine(2.0, 1.0)
    }
}

struct MethodAdd0;

impl MethodAdd0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.add(in_2)
    }
}

struct MethodAdd1;

impl MethodAdd1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.add(in_2)
    }
}

struct MethodAdd2;

impl MethodAdd2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.add(in_2)
    }
}

struct MethodAdd3;

impl MethodAdd3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.add(in_2)
    }
}

struct MethodAdd4;

impl MethodAdd4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.add(in_2)
    }
}

struct MethodSub0;

impl MethodSub0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.sub(in_2)
    }
}

struct MethodSub1;

impl MethodSub1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.sub(in_2)
    }
}

struct MethodSub2;

impl MethodSub2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.sub(in_2)
    }
}

struct MethodSub3;

impl MethodSub3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.sub(in_2)
    }
}

struct MethodSub4;

impl MethodSub4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.sub(in_2)
    }
}

struct MethodMul0;

impl MethodMul0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mul(in_2)
    }
}

struct MethodMul1;

impl MethodMul1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mul(in_2)
    }
}

struct MethodMul2;

impl MethodMul2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mul(in_2)
    }
}

struct MethodMul3;

impl MethodMul3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mul(in_2)
    }
}

struct MethodMul4;

impl MethodMul4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mul(in_2)
    }
}

struct MethodDiv0;

impl MethodDiv0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.div(in_2)
    }
}

struct MethodDiv1;

impl MethodDiv1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.div(in_2)
    }
}

struct MethodDiv2;

impl MethodDiv2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.div(in_2)
    }
}

struct MethodDiv3;

impl MethodDiv3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.div(in_2)
    }
}

struct MethodDiv4;

impl MethodDiv4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.div(in_2)
    }
}

struct MethodBroadcastAdd0;

impl MethodBroadcastAdd0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_add(in_2)
    }
}

struct MethodBroadcastAdd1;

impl MethodBroadcastAdd1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_add(in_2)
    }
}

struct MethodBroadcastAdd2;

impl MethodBroadcastAdd2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_add(in_2)
    }
}

struct MethodBroadcastAdd3;

impl MethodBroadcastAdd3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_add(in_2)
    }
}

struct MethodBroadcastAdd4;

impl MethodBroadcastAdd4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_add(in_2)
    }
}

struct MethodBroadcastSub0;

impl MethodBroadcastSub0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_sub(in_2)
    }
}

struct MethodBroadcastSub1;

impl MethodBroadcastSub1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_sub(in_2)
    }
}

struct MethodBroadcastSub2;

impl MethodBroadcastSub2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_sub(in_2)
    }
}

struct MethodBroadcastSub3;

impl MethodBroadcastSub3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_sub(in_2)
    }
}

struct MethodBroadcastSub4;

impl MethodBroadcastSub4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_sub(in_2)
    }
}

struct MethodBroadcastMul0;

impl MethodBroadcastMul0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_mul(in_2)
    }
}

struct MethodBroadcastMul1;

impl MethodBroadcastMul1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_mul(in_2)
    }
}

struct MethodBroadcastMul2;

impl MethodBroadcastMul2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_mul(in_2)
    }
}

struct MethodBroadcastMul3;

impl MethodBroadcastMul3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_mul(in_2)
    }
}

struct MethodBroadcastMul4;

impl MethodBroadcastMul4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_mul(in_2)
    }
}

struct MethodBroadcastDiv0;

impl MethodBroadcastDiv0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_div(in_2)
    }
}

struct MethodBroadcastDiv1;

impl MethodBroadcastDiv1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_div(in_2)
    }
}

struct MethodBroadcastDiv2;

impl MethodBroadcastDiv2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_div(in_2)
    }
}

struct MethodBroadcastDiv3;

impl MethodBroadcastDiv3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_div(in_2)
    }
}

struct MethodBroadcastDiv4;

impl MethodBroadcastDiv4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_div(in_2)
    }
}

struct MethodMaximum0;

impl MethodMaximum0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.maximum(in_2)
    }
}

struct MethodMaximum1;

impl MethodMaximum1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.maximum(in_2)
    }
}

struct MethodMaximum2;

impl MethodMaximum2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.maximum(in_2)
    }
}

struct MethodMaximum3;

impl MethodMaximum3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.maximum(in_2)
    }
}

struct MethodMaximum4;

impl MethodMaximum4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.maximum(in_2)
    }
}

struct MethodMaximum7;

impl MethodMaximum7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.maximum(0.5)
    }
}

struct MethodMaximum8;

impl MethodMaximum8 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.maximum(2i64)
    }
}

struct MethodMaximum9;

impl MethodMaximum9 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.maximum(0i64)
    }
}

struct MethodBroadcastMaximum0;

impl MethodBroadcastMaximum0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_maximum(in_2)
    }
}

struct MethodBroadcastMaximum1;

impl MethodBroadcastMaximum1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_maximum(in_2)
    }
}

struct MethodBroadcastMaximum2;

impl MethodBroadcastMaximum2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_maximum(in_2)
    }
}

struct MethodBroadcastMaximum3;

impl MethodBroadcastMaximum3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_maximum(in_2)
    }
}

struct MethodBroadcastMaximum4;

impl MethodBroadcastMaximum4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_maximum(in_2)
    }
}

struct MethodMinimum0;

impl MethodMinimum0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.minimum(in_2)
    }
}

struct MethodMinimum1;

impl MethodMinimum1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.minimum(in_2)
    }
}

struct MethodMinimum2;

impl MethodMinimum2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.minimum(in_2)
    }
}

struct MethodMinimum3;

impl MethodMinimum3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.minimum(in_2)
    }
}

struct MethodMinimum4;

impl MethodMinimum4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.minimum(in_2)
    }
}

struct MethodMinimum7;

impl MethodMinimum7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.minimum(0.5)
    }
}

struct MethodMinimum8;

impl MethodMinimum8 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.minimum(2i64)
    }
}

struct MethodMinimum9;

impl MethodMinimum9 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.minimum(0i64)
    }
}

struct MethodBroadcastMinimum0;

impl MethodBroadcastMinimum0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_minimum(in_2)
    }
}

struct MethodBroadcastMinimum1;

impl MethodBroadcastMinimum1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_minimum(in_2)
    }
}

struct MethodBroadcastMinimum2;

impl MethodBroadcastMinimum2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_minimum(in_2)
    }
}

struct MethodBroadcastMinimum3;

impl MethodBroadcastMinimum3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_minimum(in_2)
    }
}

struct MethodBroadcastMinimum4;

impl MethodBroadcastMinimum4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_minimum(in_2)
    }
}

struct MethodClamp0;

impl MethodClamp0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.clamp(0.0, 1.0)
    }
}

struct MethodClamp1;

impl MethodClamp1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.clamp(1i64, 2i64)
    }
}

struct MethodClamp2;

impl MethodClamp2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.clamp(in_2, 1i64)
    }
}

struct MethodClamp3;

impl MethodClamp3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.clamp(0i64, in_2)
    }
}

struct MethodPow0;

impl MethodPow0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.pow(in_2)
    }
}

struct MethodPow1;

impl MethodPow1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.pow(in_2)
    }
}

struct MethodBroadcastPow0;

impl MethodBroadcastPow0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_pow(in_2)
    }
}

struct MethodBroadcastPow1;

impl MethodBroadcastPow1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_pow(in_2)
    }
}

struct MethodEq0;

impl MethodEq0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.eq(in_2)
    }
}

struct MethodEq1;

impl MethodEq1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.eq(2i64)
    }
}

struct MethodEq2;

impl MethodEq2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.eq(0.5)
    }
}

struct MethodEq3;

impl MethodEq3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.eq(in_2)
    }
}

struct MethodNe0;

impl MethodNe0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.ne(in_2)
    }
}

struct MethodNe1;

impl MethodNe1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ne(2i64)
    }
}

struct MethodNe2;

impl MethodNe2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ne(0.5)
    }
}

struct MethodNe3;

impl MethodNe3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.ne(in_2)
    }
}

struct MethodLt0;

impl MethodLt0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.lt(in_2)
    }
}

struct MethodLt1;

impl MethodLt1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.lt(2i64)
    }
}

struct MethodLt2;

impl MethodLt2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.lt(0.5)
    }
}

struct MethodLt3;

impl MethodLt3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.lt(in_2)
    }
}

struct MethodLe0;

impl MethodLe0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.le(in_2)
    }
}

struct MethodLe1;

impl MethodLe1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.le(2i64)
    }
}

struct MethodLe2;

impl MethodLe2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.le(0.5)
    }
}

struct MethodLe3;

impl MethodLe3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.le(in_2)
    }
}

struct MethodGt0;

impl MethodGt0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.gt(in_2)
    }
}

struct MethodGt1;

impl MethodGt1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gt(2i64)
    }
}

struct MethodGt2;

impl MethodGt2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.gt(0.5)
    }
}

struct MethodGt3;

impl MethodGt3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.gt(in_2)
    }
}

struct MethodGe0;

impl MethodGe0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.ge(in_2)
    }
}

struct MethodGe1;

impl MethodGe1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ge(2i64)
    }
}

struct MethodGe2;

impl MethodGe2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ge(0.5)
    }
}

struct MethodGe3;

impl MethodGe3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.ge(in_2)
    }
}

struct MethodBroadcastEq0;

impl MethodBroadcastEq0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_eq(in_2)
    }
}

struct MethodBroadcastEq1;

impl MethodBroadcastEq1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_eq(in_2)
    }
}

struct MethodBroadcastEq2;

impl MethodBroadcastEq2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_eq(in_2)
    }
}

struct MethodBroadcastNe0;

impl MethodBroadcastNe0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_ne(in_2)
    }
}

struct MethodBroadcastNe1;

impl MethodBroadcastNe1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_ne(in_2)
    }
}

struct MethodBroadcastNe2;

impl MethodBroadcastNe2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_ne(in_2)
    }
}

struct MethodBroadcastLt0;

impl MethodBroadcastLt0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_lt(in_2)
    }
}

struct MethodBroadcastLt1;

impl MethodBroadcastLt1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_lt(in_2)
    }
}

struct MethodBroadcastLt2;

impl MethodBroadcastLt2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_lt(in_2)
    }
}

struct MethodBroadcastLe0;

impl MethodBroadcastLe0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_le(in_2)
    }
}

struct MethodBroadcastLe1;

impl MethodBroadcastLe1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_le(in_2)
    }
}

struct MethodBroadcastLe2;

impl MethodBroadcastLe2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_le(in_2)
    }
}

struct MethodBroadcastGt0;

impl MethodBroadcastGt0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_gt(in_2)
    }
}

struct MethodBroadcastGt1;

impl MethodBroadcastGt1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_gt(in_2)
    }
}

struct MethodBroadcastGt2;

impl MethodBroadcastGt2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_gt(in_2)
    }
}

struct MethodBroadcastGe0;

impl MethodBroadcastGe0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_ge(in_2)
    }
}

struct MethodBroadcastGe1;

impl MethodBroadcastGe1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_ge(in_2)
    }
}

struct MethodBroadcastGe2;

impl MethodBroadcastGe2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_ge(in_2)
    }
}

struct MethodWhereCond0;

impl MethodWhereCond0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.where_cond(in_2, in_3)
    }
}

struct MethodWhereCond1;

impl MethodWhereCond1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.where_cond(in_2, in_3)
    }
}

struct MethodWhereCond2;

impl MethodWhereCond2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.where_cond(in_2, in_3)
    }
}

struct MethodSum0;

impl MethodSum0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum(D::Minus1)
    }
}

struct MethodSum1;

impl MethodSum1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum((0, 2))
    }
}

struct MethodSum2;

impl MethodSum2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum(vec![6, 0, 5, 1, 4, 2, 3])
    }
}

struct MethodSum3;

impl MethodSum3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum(0)
    }
}

struct MethodSum4;

impl MethodSum4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum((D::Minus1, 0))
    }
}

struct MethodSum5;

impl MethodSum5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum(())
    }
}

struct MethodSum6;

impl MethodSum6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum(0)
    }
}

struct MethodSumKeepdim0;

impl MethodSumKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_keepdim(D::Minus1)
    }
}

struct MethodSumKeepdim1;

impl MethodSumKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_keepdim((0, 2))
    }
}

struct MethodSumKeepdim2;

impl MethodSumKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_keepdim(0)
    }
}

struct MethodSumKeepdim3;

impl MethodSumKeepdim3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_keepdim((D::Minus1, 0))
    }
}

struct MethodSumKeepdim4;

impl MethodSumKeepdim4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_keepdim(())
    }
}

struct MethodSumKeepdim5;

impl MethodSumKeepdim5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_keepdim(0)
    }
}

struct MethodMean0;

impl MethodMean0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean(D::Minus1)
    }
}

struct MethodMean1;

impl MethodMean1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean((0, 2))
    }
}

struct MethodMean2;

impl MethodMean2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean(0)
    }
}

struct MethodMean3;

impl MethodMean3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean((D::Minus1, 0))
    }
}

struct MethodMean4;

impl MethodMean4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean(())
    }
}

struct MethodMean5;

impl MethodMean5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean(0)
    }
}

struct MethodMeanKeepdim0;

impl MethodMeanKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_keepdim(D::Minus1)
    }
}

struct MethodMeanKeepdim1;

impl MethodMeanKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_keepdim((0, 2))
    }
}

struct MethodMeanKeepdim2;

impl MethodMeanKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_keepdim(0)
    }
}

struct MethodMeanKeepdim3;

impl MethodMeanKeepdim3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_keepdim((D::Minus1, 0))
    }
}

struct MethodMeanKeepdim4;

impl MethodMeanKeepdim4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_keepdim(())
    }
}

struct MethodMeanKeepdim5;

impl MethodMeanKeepdim5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_keepdim(0)
    }
}

struct MethodMax0;

impl MethodMax0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max(1)
    }
}

struct MethodMax1;

impl MethodMax1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max(D::Minus1)
    }
}

struct MethodMax2;

impl MethodMax2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max(0)
    }
}

struct MethodMaxKeepdim0;

impl MethodMaxKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_keepdim(1)
    }
}

struct MethodMaxKeepdim1;

impl MethodMaxKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_keepdim(D::Minus1)
    }
}

struct MethodMaxKeepdim2;

impl MethodMaxKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_keepdim(0)
    }
}

struct MethodMin0;

impl MethodMin0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min(1)
    }
}

struct MethodMin1;

impl MethodMin1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min(D::Minus1)
    }
}

struct MethodMin2;

impl MethodMin2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min(0)
    }
}

struct MethodMinKeepdim0;

impl MethodMinKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min_keepdim(1)
    }
}

struct MethodMinKeepdim1;

impl MethodMinKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min_keepdim(D::Minus1)
    }
}

struct MethodMinKeepdim2;

impl MethodMinKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min_keepdim(0)
    }
}

struct MethodArgmax0;

impl MethodArgmax0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmax(1)
    }
}

struct MethodArgmax1;

impl MethodArgmax1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmax(D::Minus1)
    }
}

struct MethodArgmax2;

impl MethodArgmax2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmax(0)
    }
}

struct MethodArgmaxKeepdim0;

impl MethodArgmaxKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmax_keepdim(1)
    }
}

struct MethodArgmaxKeepdim1;

impl MethodArgmaxKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmax_keepdim(D::Minus1)
    }
}

struct MethodArgmaxKeepdim2;

impl MethodArgmaxKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmax_keepdim(0)
    }
}

struct MethodArgmin0;

impl MethodArgmin0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmin(1)
    }
}

struct MethodArgmin1;

impl MethodArgmin1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmin(D::Minus1)
    }
}

struct MethodArgmin2;

impl MethodArgmin2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmin(0)
    }
}

struct MethodArgminKeepdim0;

impl MethodArgminKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmin_keepdim(1)
    }
}

struct MethodArgminKeepdim1;

impl MethodArgminKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmin_keepdim(D::Minus1)
    }
}

struct MethodArgminKeepdim2;

impl MethodArgminKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.argmin_keepdim(0)
    }
}

struct MethodSumAll0;

impl MethodSumAll0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_all()
    }
}

struct MethodSumAll1;

impl MethodSumAll1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_all()
    }
}

struct MethodSumAll2;

impl MethodSumAll2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_all()
    }
}

struct MethodSumAll3;

impl MethodSumAll3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.sum_all()
    }
}

struct MethodMeanAll0;

impl MethodMeanAll0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_all()
    }
}

struct MethodMeanAll1;

impl MethodMeanAll1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_all()
    }
}

struct MethodMeanAll2;

impl MethodMeanAll2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_all()
    }
}

struct MethodMeanAll3;

impl MethodMeanAll3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.mean_all()
    }
}

struct MethodMaxAll0;

impl MethodMaxAll0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_all()
    }
}

struct MethodMaxAll1;

impl MethodMaxAll1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_all()
    }
}

struct MethodMaxAll2;

impl MethodMaxAll2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_all()
    }
}

struct MethodMinAll0;

impl MethodMinAll0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min_all()
    }
}

struct MethodMinAll1;

impl MethodMinAll1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min_all()
    }
}

struct MethodMinAll2;

impl MethodMinAll2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.min_all()
    }
}

struct MethodVar0;

impl MethodVar0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.var(D::Minus1)
    }
}

struct MethodVar1;

impl MethodVar1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.var(0)
    }
}

struct MethodVar2;

impl MethodVar2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.var(1)
    }
}

struct MethodVarKeepdim0;

impl MethodVarKeepdim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.var_keepdim(D::Minus1)
    }
}

struct MethodVarKeepdim1;

impl MethodVarKeepdim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.var_keepdim(0)
    }
}

struct MethodVarKeepdim2;

impl MethodVarKeepdim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.var_keepdim(1)
    }
}

struct MethodLogSumExp0;

impl MethodLogSumExp0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log_sum_exp(D::Minus1)
    }
}

struct MethodLogSumExp1;

impl MethodLogSumExp1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log_sum_exp((0, 2))
    }
}

struct MethodLogSumExp2;

impl MethodLogSumExp2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log_sum_exp(())
    }
}

struct MethodLogSumExp3;

impl MethodLogSumExp3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.log_sum_exp(1)
    }
}

struct MethodNorm0;

impl MethodNorm0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.norm()
    }
}

struct MethodNorm1;

impl MethodNorm1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.norm()
    }
}

struct MethodNorm2;

impl MethodNorm2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.norm()
    }
}

struct MethodCumsum0;

impl MethodCumsum0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cumsum(1)
    }
}

struct MethodCumsum1;

impl MethodCumsum1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cumsum(D::Minus1)
    }
}

struct MethodCumsum2;

impl MethodCumsum2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cumsum(0)
    }
}

struct MethodCumsum3;

impl MethodCumsum3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cumsum(D::Minus1)
    }
}

struct MethodCumsum4;

impl MethodCumsum4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.cumsum(1)
    }
}

struct MethodMatmul0;

impl MethodMatmul0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.matmul(in_2)
    }
}

struct MethodMatmul1;

impl MethodMatmul1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.matmul(in_2)
    }
}

struct MethodMatmul2;

impl MethodMatmul2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.matmul(in_2)
    }
}

struct MethodMatmul3;

impl MethodMatmul3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.matmul(in_2)
    }
}

struct MethodMatmul4;

impl MethodMatmul4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.matmul(in_2)
    }
}

struct MethodBroadcastMatmul0;

impl MethodBroadcastMatmul0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_matmul(in_2)
    }
}

struct MethodBroadcastMatmul1;

impl MethodBroadcastMatmul1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_matmul(in_2)
    }
}

struct MethodBroadcastMatmul2;

impl MethodBroadcastMatmul2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_matmul(in_2)
    }
}

struct MethodBroadcastMatmul3;

impl MethodBroadcastMatmul3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.broadcast_matmul(in_2)
    }
}

struct MethodMv0;

impl MethodMv0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mv(in_2)
    }
}

struct MethodMv1;

impl MethodMv1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.mv(in_2)
    }
}

struct MethodDot0;

impl MethodDot0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.dot(in_2)
    }
}

struct MethodDot1;

impl MethodDot1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.dot(in_2)
    }
}

struct MethodReshape0;

impl MethodReshape0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape((6, 4))
    }
}

struct MethodReshape1;

impl MethodReshape1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape((2, ()))
    }
}

struct MethodReshape2;

impl MethodReshape2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape(((), 2, 2))
    }
}

struct MethodReshape3;

impl MethodReshape3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape(6)
    }
}

struct MethodReshape4;

impl MethodReshape4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape(((),))
    }
}

struct MethodReshape5;

impl MethodReshape5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape(vec![2, 1, 2, 1, 2, 1, 1])
    }
}

struct MethodReshape6;

impl MethodReshape6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape(())
    }
}

struct MethodReshape7;

impl MethodReshape7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.reshape((3, 0))
    }
}

struct MethodTranspose0;

impl MethodTranspose0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.transpose(1, 2)
    }
}

struct MethodTranspose1;

impl MethodTranspose1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.transpose(0, D::Minus1)
    }
}

struct MethodTranspose2;

impl MethodTranspose2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.transpose(1, 1)
    }
}

struct MethodT0;

impl MethodT0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.t()
    }
}

struct MethodT1;

impl MethodT1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.t()
    }
}

struct MethodPermute0;

impl MethodPermute0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.permute((2, 0, 1))
    }
}

struct MethodPermute1;

impl MethodPermute1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.permute((0, D::Minus1, 1, 2))
    }
}

struct MethodPermute2;

impl MethodPermute2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.permute(0)
    }
}

struct MethodPermute3;

impl MethodPermute3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.permute(())
    }
}

struct MethodPermute5;

impl MethodPermute5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.permute(vec![6, 0, 5, 1, 4, 2, 3])
    }
}

struct MethodContiguous0;

impl MethodContiguous0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.contiguous()
    }
}

struct MethodContiguous1;

impl MethodContiguous1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.contiguous()
    }
}

struct MethodForceContiguous0;

impl MethodForceContiguous0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.force_contiguous()
    }
}

struct MethodForceContiguous1;

impl MethodForceContiguous1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.force_contiguous()
    }
}

struct MethodCopy0;

impl MethodCopy0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.copy()
    }
}

struct MethodCopy1;

impl MethodCopy1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.copy()
    }
}

struct MethodDetach0;

impl MethodDetach0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        Ok(in_1.detach())
    }
}

struct MethodDetach1;

impl MethodDetach1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        Ok(in_1.detach())
    }
}

struct MethodToDevice0;

impl MethodToDevice0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_device(in_1.device())
    }
}

struct MethodToDtype0;

impl MethodToDtype0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::F32)
    }
}

struct MethodToDtype1;

impl MethodToDtype1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::F16)
    }
}

struct MethodToDtype2;

impl MethodToDtype2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::BF16)
    }
}

struct MethodToDtype3;

impl MethodToDtype3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::F64)
    }
}

struct MethodToDtype4;

impl MethodToDtype4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::U8)
    }
}

struct MethodToDtype5;

impl MethodToDtype5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::U32)
    }
}

struct MethodToDtype6;

impl MethodToDtype6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::I16)
    }
}

struct MethodToDtype7;

impl MethodToDtype7 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::I32)
    }
}

struct MethodToDtype8;

impl MethodToDtype8 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::I64)
    }
}

struct MethodToDtype9;

impl MethodToDtype9 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::F8E4M3)
    }
}

struct MethodToDtype10;

impl MethodToDtype10 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.to_dtype(DType::I16)
    }
}

struct MethodUnsqueeze0;

impl MethodUnsqueeze0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unsqueeze(0)
    }
}

struct MethodUnsqueeze1;

impl MethodUnsqueeze1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unsqueeze(2)
    }
}

struct MethodUnsqueeze2;

impl MethodUnsqueeze2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unsqueeze(D::Minus1)
    }
}

struct MethodUnsqueeze3;

impl MethodUnsqueeze3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unsqueeze(D::Minus(3))
    }
}

struct MethodUnsqueeze4;

impl MethodUnsqueeze4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unsqueeze(0)
    }
}

struct MethodSqueeze0;

impl MethodSqueeze0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.squeeze(1)
    }
}

struct MethodSqueeze1;

impl MethodSqueeze1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.squeeze(D::Minus1)
    }
}

struct MethodSqueeze2;

impl MethodSqueeze2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.squeeze(0)
    }
}

struct MethodFlatten0;

impl MethodFlatten0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten(0, 1)
    }
}

struct MethodFlatten1;

impl MethodFlatten1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten(1, D::Minus1)
    }
}

struct MethodFlatten2;

impl MethodFlatten2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten(2, 0)
    }
}

struct MethodFlatten3;

impl MethodFlatten3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten(0, 7)
    }
}

struct MethodFlattenTo0;

impl MethodFlattenTo0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_to(1)
    }
}

struct MethodFlattenTo1;

impl MethodFlattenTo1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_to(D::Minus2)
    }
}

struct MethodFlattenTo2;

impl MethodFlattenTo2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_to(0)
    }
}

struct MethodFlattenTo3;

impl MethodFlattenTo3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_to(3)
    }
}

struct MethodFlattenFrom0;

impl MethodFlattenFrom0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_from(1)
    }
}

struct MethodFlattenFrom1;

impl MethodFlattenFrom1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_from(D::Minus2)
    }
}

struct MethodFlattenFrom2;

impl MethodFlattenFrom2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_from(0)
    }
}

struct MethodFlattenFrom3;

impl MethodFlattenFrom3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_from(3)
    }
}

struct MethodFlattenAll0;

impl MethodFlattenAll0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_all()
    }
}

struct MethodFlattenAll1;

impl MethodFlattenAll1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_all()
    }
}

struct MethodFlattenAll2;

impl MethodFlattenAll2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flatten_all()
    }
}

struct MethodBroadcastAs0;

impl MethodBroadcastAs0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_as((2, 3))
    }
}

struct MethodBroadcastAs1;

impl MethodBroadcastAs1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_as((4, 2, 3))
    }
}

struct MethodBroadcastAs2;

impl MethodBroadcastAs2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_as(5)
    }
}

struct MethodBroadcastAs3;

impl MethodBroadcastAs3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_as(vec![2, 1, 1, 1, 2, 1, 1, 3])
    }
}

struct MethodBroadcastAs4;

impl MethodBroadcastAs4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_as((2, 0))
    }
}

struct MethodExpand0;

impl MethodExpand0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.expand((2, 3))
    }
}

struct MethodExpand1;

impl MethodExpand1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.expand((4, 2, 3))
    }
}

struct MethodExpand2;

impl MethodExpand2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.expand(5)
    }
}

struct MethodExpand3;

impl MethodExpand3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.expand(vec![2, 1, 1, 1, 2, 1, 1, 3])
    }
}

struct MethodExpand4;

impl MethodExpand4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.expand((2, 0))
    }
}

struct MethodBroadcastLeft0;

impl MethodBroadcastLeft0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_left((4, 5))
    }
}

struct MethodBroadcastLeft1;

impl MethodBroadcastLeft1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_left(5)
    }
}

struct MethodBroadcastLeft2;

impl MethodBroadcastLeft2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.broadcast_left(())
    }
}

struct MethodRepeat0;

impl MethodRepeat0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.repeat((2, 2))
    }
}

struct MethodRepeat1;

impl MethodRepeat1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.repeat((4, 1))
    }
}

struct MethodRepeat2;

impl MethodRepeat2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.repeat(2)
    }
}

struct MethodRepeat3;

impl MethodRepeat3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.repeat((1, 0))
    }
}

struct MethodNarrow0;

impl MethodNarrow0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.narrow(1, 1, 2)
    }
}

struct MethodNarrow1;

impl MethodNarrow1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.narrow(D::Minus1, 0, 3)
    }
}

struct MethodNarrow2;

impl MethodNarrow2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.narrow(0, 2, 0)
    }
}

struct MethodChunk0;

impl MethodChunk0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Vec<Tensor>> {
        in_1.chunk(3, D::Minus1)
    }
}

struct MethodChunk1;

impl MethodChunk1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Vec<Tensor>> {
        in_1.chunk(3, 1)
    }
}

struct MethodChunk2;

impl MethodChunk2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Vec<Tensor>> {
        in_1.chunk(4, 0)
    }
}

struct MethodChunk3;

impl MethodChunk3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Vec<Tensor>> {
        in_1.chunk(2, 0)
    }
}

struct MethodGet0;

impl MethodGet0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.get(1)
    }
}

struct MethodGet1;

impl MethodGet1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.get(5)
    }
}

struct MethodGetOnDim0;

impl MethodGetOnDim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.get_on_dim(1, 2)
    }
}

struct MethodGetOnDim1;

impl MethodGetOnDim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.get_on_dim(D::Minus2, 0)
    }
}

struct MethodRoll0;

impl MethodRoll0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.roll(1, 1)
    }
}

struct MethodRoll1;

impl MethodRoll1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.roll(-4, D::Minus1)
    }
}

struct MethodRoll2;

impl MethodRoll2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.roll(2, 0)
    }
}

struct MethodFlip0;

impl MethodFlip0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flip(&[1])
    }
}

struct MethodFlip1;

impl MethodFlip1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flip(&[0, 1])
    }
}

struct MethodFlip2;

impl MethodFlip2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flip(&[1])
    }
}

struct MethodFlip3;

impl MethodFlip3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.flip(&[])
    }
}

struct MethodPadWithZeros0;

impl MethodPadWithZeros0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_zeros(1, 1, 2)
    }
}

struct MethodPadWithZeros1;

impl MethodPadWithZeros1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_zeros(D::Minus1, 0, 2)
    }
}

struct MethodPadWithZeros2;

impl MethodPadWithZeros2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_zeros(0, 1, 0)
    }
}

struct MethodPadWithZeros3;

impl MethodPadWithZeros3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_zeros(7, 0, 0)
    }
}

struct MethodPadWithSame0;

impl MethodPadWithSame0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_same(1, 1, 2)
    }
}

struct MethodPadWithSame1;

impl MethodPadWithSame1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_same(D::Minus1, 0, 2)
    }
}

struct MethodPadWithSame2;

impl MethodPadWithSame2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_same(0, 1, 0)
    }
}

struct MethodPadWithSame3;

impl MethodPadWithSame3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.pad_with_same(7, 0, 0)
    }
}

struct MethodUnfold0;

impl MethodUnfold0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unfold(1, 3, 2)
    }
}

struct MethodUnfold1;

impl MethodUnfold1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unfold(D::Minus1, 2, 1)
    }
}

struct MethodUnfold2;

impl MethodUnfold2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.unfold(0, 1, 3)
    }
}

struct FunctionTensorCat0;

impl FunctionTensorCat0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        Tensor::cat(&[in_1, in_2], 0)
    }
}

struct FunctionTensorCat1;

impl FunctionTensorCat1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        Tensor::cat(&[in_1, in_2, in_3], D::Minus1)
    }
}

struct FunctionTensorCat2;

impl FunctionTensorCat2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        Tensor::cat(&[in_1], 4)
    }
}

struct FunctionTensorStack0;

impl FunctionTensorStack0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        Tensor::stack(&[in_1, in_2], 0)
    }
}

struct FunctionTensorStack1;

impl FunctionTensorStack1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        Tensor::stack(&[in_1, in_2], D::Minus1)
    }
}

struct FunctionTensorStack2;

impl FunctionTensorStack2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        Tensor::stack(&[in_1], 1)
    }
}

struct FunctionTensorMeshgrid0;

impl FunctionTensorMeshgrid0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Vec<Tensor>> {
        Tensor::meshgrid(&[in_1, in_2], false)
    }
}

struct FunctionTensorMeshgrid1;

impl FunctionTensorMeshgrid1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Vec<Tensor>> {
        Tensor::meshgrid(&[in_1, in_2, in_3], true)
    }
}

struct MethodI0;

impl MethodI0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i(1)
    }
}

struct MethodI1;

impl MethodI1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i(0..1)
    }
}

struct MethodI2;

impl MethodI2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i((.., 2))
    }
}

struct MethodI3;

impl MethodI3 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i((.., .., 0))
    }
}

struct MethodI4;

impl MethodI4 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i((0, 1..3, 2..))
    }
}

struct MethodI5;

impl MethodI5 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i((.., .., 1..3))
    }
}

struct MethodI6;

impl MethodI6 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i((.., .., .., .., 1))
    }
}

struct MethodI7;

impl MethodI7 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.i(in_2)
    }
}

struct MethodI8;

impl MethodI8 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.i((.., in_2))
    }
}

struct MethodI9;

impl MethodI9 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.i((1, in_2))
    }
}

struct MethodI10;

impl MethodI10 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i(2..2)
    }
}

struct MethodI11;

impl MethodI11 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.i(1..0)
    }
}

struct MethodIndexSelect0;

impl MethodIndexSelect0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.index_select(in_2, 1)
    }
}

struct MethodIndexSelect1;

impl MethodIndexSelect1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.index_select(in_2, 0)
    }
}

struct MethodIndexSelect2;

impl MethodIndexSelect2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.index_select(in_2, D::Minus1)
    }
}

struct MethodEmbedding0;

impl MethodEmbedding0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.embedding(in_2)
    }
}

struct MethodEmbedding1;

impl MethodEmbedding1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.embedding(in_2)
    }
}

struct MethodGather0;

impl MethodGather0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.gather(in_2, 1)
    }
}

struct MethodGather1;

impl MethodGather1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.gather(in_2, D::Minus2)
    }
}

struct MethodScatter0;

impl MethodScatter0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.scatter(in_2, in_3, 1)
    }
}

struct MethodScatter1;

impl MethodScatter1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.scatter(in_2, in_3, D::Minus2)
    }
}

struct MethodScatterAdd0;

impl MethodScatterAdd0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.scatter_add(in_2, in_3, 1)
    }
}

struct MethodScatterAdd1;

impl MethodScatterAdd1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.scatter_add(in_2, in_3, D::Minus2)
    }
}

struct MethodScatterAdd7;

impl MethodScatterAdd7 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.scatter_add(in_2, in_3, 0)
    }
}

struct MethodIndexAdd0;

impl MethodIndexAdd0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.index_add(in_2, in_3, 1)
    }
}

struct MethodIndexAdd1;

impl MethodIndexAdd1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        in_1.index_add(in_2, in_3, 0)
    }
}

struct MethodSliceScatter0;

impl MethodSliceScatter0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.slice_scatter(in_2, 1, 1)
    }
}

struct MethodSliceScatter1;

impl MethodSliceScatter1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.slice_scatter(in_2, D::Minus2, 0)
    }
}

struct MethodSliceScatter00;

impl MethodSliceScatter00 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.slice_scatter0(in_2, 1)
    }
}

struct MethodSliceAssign0;

impl MethodSliceAssign0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.slice_assign(&[0..2, 1..3], in_2)
    }
}

struct MethodSliceAssign1;

impl MethodSliceAssign1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.slice_assign(&[0..1, 1..3], in_2)
    }
}

struct MethodSliceAssign2;

impl MethodSliceAssign2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.slice_assign(&[0..1], in_2)
    }
}

struct MethodArgSortLastDim0;

impl MethodArgSortLastDim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.arg_sort_last_dim(true)
    }
}

struct MethodArgSortLastDim1;

impl MethodArgSortLastDim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.arg_sort_last_dim(false)
    }
}

struct MethodSortLastDim0;

impl MethodSortLastDim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<(Tensor, Tensor)> {
        in_1.sort_last_dim(true)
    }
}

struct MethodSortLastDim1;

impl MethodSortLastDim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<(Tensor, Tensor)> {
        in_1.sort_last_dim(false)
    }
}

struct FunctionTensorZeros0;

impl FunctionTensorZeros0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::zeros((2, 3), DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorZeros1;

impl FunctionTensorZeros1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::zeros(3, DType::BF16, &Device::Cpu)
    }
}

struct FunctionTensorZeros2;

impl FunctionTensorZeros2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::zeros((), DType::I64, &Device::Cpu)
    }
}

struct FunctionTensorZeros3;

impl FunctionTensorZeros3 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::zeros(vec![2, 1, 1, 3, 1, 1, 1], DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorZeros4;

impl FunctionTensorZeros4 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::zeros((0, 2), DType::F8E4M3, &Device::Cpu)
    }
}

struct MethodZerosLike0;

impl MethodZerosLike0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.zeros_like()
    }
}

struct MethodZerosLike1;

impl MethodZerosLike1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.zeros_like()
    }
}

struct FunctionTensorOnes0;

impl FunctionTensorOnes0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::ones((2, 3), DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorOnes1;

impl FunctionTensorOnes1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::ones(3, DType::BF16, &Device::Cpu)
    }
}

struct FunctionTensorOnes2;

impl FunctionTensorOnes2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::ones((), DType::I64, &Device::Cpu)
    }
}

struct FunctionTensorOnes3;

impl FunctionTensorOnes3 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::ones(vec![2, 1, 1, 3, 1, 1, 1], DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorOnes4;

impl FunctionTensorOnes4 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::ones((0, 2), DType::F8E4M3, &Device::Cpu)
    }
}

struct MethodOnesLike0;

impl MethodOnesLike0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ones_like()
    }
}

struct MethodOnesLike1;

impl MethodOnesLike1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.ones_like()
    }
}

struct FunctionTensorFull0;

impl FunctionTensorFull0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::full(0.5f32, (2, 3), &Device::Cpu)
    }
}

struct FunctionTensorFull1;

impl FunctionTensorFull1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::full(3u8, 2, &Device::Cpu)
    }
}

struct FunctionTensorFull2;

impl FunctionTensorFull2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::full(half::f16::from_f64(f64::NEG_INFINITY), (), &Device::Cpu)
    }
}

struct FunctionTensorArange0;

impl FunctionTensorArange0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(0u32, 5u32, &Device::Cpu)
    }
}

struct FunctionTensorArange1;

impl FunctionTensorArange1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(0.5f32, 3.0f32, &Device::Cpu)
    }
}

struct FunctionTensorArange2;

impl FunctionTensorArange2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(0f64, 2.5f64, &Device::Cpu)
    }
}

struct FunctionTensorArange3;

impl FunctionTensorArange3 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(5i64, 3i64, &Device::Cpu)
    }
}

struct FunctionTensorArange4;

impl FunctionTensorArange4 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(0u8, 2u8, &Device::Cpu)
    }
}

struct FunctionTensorArange5;

impl FunctionTensorArange5 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(0u8, 255u8, &Device::Cpu)
    }
}

struct FunctionTensorArange6;

impl FunctionTensorArange6 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(
            half::bf16::from_f64(0.0),
            half::bf16::from_f64(9.0),
            &Device::Cpu,
        )
    }
}

struct FunctionTensorArange7;

impl FunctionTensorArange7 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange(
            half::f16::from_f64(0.1),
            half::f16::from_f64(5.1),
            &Device::Cpu,
        )
    }
}

struct FunctionTensorArangeStep0;

impl FunctionTensorArangeStep0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange_step(0u32, 5u32, 2u32, &Device::Cpu)
    }
}

struct FunctionTensorArangeStep1;

impl FunctionTensorArangeStep1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange_step(5i64, 0i64, -2i64, &Device::Cpu)
    }
}

struct FunctionTensorArangeStep2;

impl FunctionTensorArangeStep2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange_step(0.0f32, 1.0f32, 0.1f32, &Device::Cpu)
    }
}

struct FunctionTensorArangeStep3;

impl FunctionTensorArangeStep3 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange_step(
            half::bf16::from_f64(0.0),
            half::bf16::from_f64(1.0),
            half::bf16::from_f64(0.1),
            &Device::Cpu,
        )
    }
}

struct FunctionTensorArangeStep4;

impl FunctionTensorArangeStep4 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::arange_step(
            half::f16::from_f64(1.0),
            half::f16::from_f64(0.0),
            half::f16::from_f64(-0.3),
            &Device::Cpu,
        )
    }
}

struct FunctionTensorEye0;

impl FunctionTensorEye0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::eye(3, DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorEye1;

impl FunctionTensorEye1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::eye(0, DType::U8, &Device::Cpu)
    }
}

struct FunctionTensorEye2;

impl FunctionTensorEye2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::eye(2, DType::BF16, &Device::Cpu)
    }
}

struct FunctionTensorTril20;

impl FunctionTensorTril20 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::tril2(3, DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorTril21;

impl FunctionTensorTril21 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::tril2(0, DType::U8, &Device::Cpu)
    }
}

struct FunctionTensorTril22;

impl FunctionTensorTril22 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::tril2(2, DType::BF16, &Device::Cpu)
    }
}

struct FunctionTensorTriu20;

impl FunctionTensorTriu20 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::triu2(3, DType::F32, &Device::Cpu)
    }
}

struct FunctionTensorTriu21;

impl FunctionTensorTriu21 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::triu2(0, DType::U8, &Device::Cpu)
    }
}

struct FunctionTensorTriu22;

impl FunctionTensorTriu22 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::triu2(2, DType::BF16, &Device::Cpu)
    }
}

struct FunctionTensorRand0;

impl FunctionTensorRand0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::rand(0.0f32, 1.0f32, (2, 3), &Device::Cpu)
    }
}

struct FunctionTensorRand1;

impl FunctionTensorRand1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::rand(
            half::bf16::from_f64(-0.5),
            half::bf16::from_f64(0.5),
            3,
            &Device::Cpu,
        )
    }
}

struct FunctionTensorRand2;

impl FunctionTensorRand2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::rand(0f64, 1f64, (), &Device::Cpu)
    }
}

struct FunctionTensorRand3;

impl FunctionTensorRand3 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::rand(
            half::f16::from_f64(0.0),
            half::f16::from_f64(1.0),
            0,
            &Device::Cpu,
        )
    }
}

struct FunctionTensorRandn0;

impl FunctionTensorRandn0 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::randn(0.0f32, 1.0f32, (2, 3), &Device::Cpu)
    }
}

struct FunctionTensorRandn1;

impl FunctionTensorRandn1 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::randn(
            half::bf16::from_f64(-0.5),
            half::bf16::from_f64(0.5),
            3,
            &Device::Cpu,
        )
    }
}

struct FunctionTensorRandn2;

impl FunctionTensorRandn2 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::randn(0f64, -1f64, (), &Device::Cpu)
    }
}

struct FunctionTensorRandn3;

impl FunctionTensorRandn3 {
    pub fn forward(&self) -> Result<Tensor> {
        Tensor::randn(
            half::f16::from_f64(0.0),
            half::f16::from_f64(1.0),
            0,
            &Device::Cpu,
        )
    }
}

struct MethodRandLike0;

impl MethodRandLike0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.rand_like(0.0, 1.0)
    }
}

struct MethodRandLike1;

impl MethodRandLike1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.rand_like(-0.5, 0.5)
    }
}

struct MethodRandnLike0;

impl MethodRandnLike0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.randn_like(0.0, 1.0)
    }
}

struct MethodRandnLike1;

impl MethodRandnLike1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.randn_like(0.5, 0.0)
    }
}

struct MethodConv1d0;

impl MethodConv1d0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv1d(in_2, 1, 2, 1, 1)
    }
}

struct MethodConv1d1;

impl MethodConv1d1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv1d(in_2, 0, 1, 2, 2)
    }
}

struct MethodConv1d2;

impl MethodConv1d2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv1d(in_2, 0, 1, 1, 1)
    }
}

struct MethodConv1d3;

impl MethodConv1d3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv1d(in_2, 0, 1, 0, 1)
    }
}

struct MethodConv1d4;

impl MethodConv1d4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv1d(in_2, 0, 1, 1, 2)
    }
}

struct MethodConv2d0;

impl MethodConv2d0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv2d(in_2, 1, 2, 1, 1)
    }
}

struct MethodConv2d1;

impl MethodConv2d1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv2d(in_2, 0, 1, 2, 2)
    }
}

struct MethodConv2d2;

impl MethodConv2d2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv2d(in_2, 0, 1, 1, 1)
    }
}

struct MethodConvTranspose1d0;

impl MethodConvTranspose1d0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose1d(in_2, 0, 0, 2, 1, 1)
    }
}

struct MethodConvTranspose1d1;

impl MethodConvTranspose1d1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose1d(in_2, 1, 1, 2, 2, 1)
    }
}

struct MethodConvTranspose1d2;

impl MethodConvTranspose1d2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose1d(in_2, 0, 0, 1, 1, 2)
    }
}

struct MethodConvTranspose1d3;

impl MethodConvTranspose1d3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose1d(in_2, 0, 1, 2, 1, 1)
    }
}

struct MethodConvTranspose2d0;

impl MethodConvTranspose2d0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose2d(in_2, 1, 1, 2, 1)
    }
}

struct MethodConvTranspose2d1;

impl MethodConvTranspose2d1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose2d(in_2, 0, 0, 1, 2)
    }
}

struct MethodConvTranspose2d2;

impl MethodConvTranspose2d2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        in_1.conv_transpose2d(in_2, 2, 0, 1, 1)
    }
}

struct MethodAvgPool2d0;

impl MethodAvgPool2d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.avg_pool2d(2)
    }
}

struct MethodAvgPool2d1;

impl MethodAvgPool2d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.avg_pool2d((3, 2))
    }
}

struct MethodAvgPool2d2;

impl MethodAvgPool2d2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.avg_pool2d(1)
    }
}

struct MethodAvgPool2dWithStride0;

impl MethodAvgPool2dWithStride0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.avg_pool2d_with_stride(3, 2)
    }
}

struct MethodAvgPool2dWithStride1;

impl MethodAvgPool2dWithStride1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.avg_pool2d_with_stride((3, 2), (1, 2))
    }
}

struct MethodMaxPool2d0;

impl MethodMaxPool2d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_pool2d(2)
    }
}

struct MethodMaxPool2d1;

impl MethodMaxPool2d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_pool2d((3, 2))
    }
}

struct MethodMaxPool2d2;

impl MethodMaxPool2d2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_pool2d(1)
    }
}

struct MethodMaxPool2dWithStride0;

impl MethodMaxPool2dWithStride0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_pool2d_with_stride(3, 2)
    }
}

struct MethodMaxPool2dWithStride1;

impl MethodMaxPool2dWithStride1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.max_pool2d_with_stride((3, 2), (1, 2))
    }
}

struct MethodInterpolate1d0;

impl MethodInterpolate1d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.interpolate1d(7)
    }
}

struct MethodInterpolate1d1;

impl MethodInterpolate1d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.interpolate1d(2)
    }
}

struct MethodInterpolate1d2;

impl MethodInterpolate1d2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.interpolate1d(0)
    }
}

struct MethodUpsampleNearest1d0;

impl MethodUpsampleNearest1d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_nearest1d(7)
    }
}

struct MethodUpsampleNearest1d1;

impl MethodUpsampleNearest1d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_nearest1d(2)
    }
}

struct MethodUpsampleNearest1d2;

impl MethodUpsampleNearest1d2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_nearest1d(0)
    }
}

struct MethodInterpolate2d0;

impl MethodInterpolate2d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.interpolate2d(7, 8)
    }
}

struct MethodInterpolate2d1;

impl MethodInterpolate2d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.interpolate2d(2, 2)
    }
}

struct MethodUpsampleNearest2d0;

impl MethodUpsampleNearest2d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_nearest2d(7, 8)
    }
}

struct MethodUpsampleNearest2d1;

impl MethodUpsampleNearest2d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_nearest2d(2, 2)
    }
}

struct MethodUpsampleBilinear2d0;

impl MethodUpsampleBilinear2d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_bilinear2d(7, 8, true)
    }
}

struct MethodUpsampleBilinear2d1;

impl MethodUpsampleBilinear2d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_bilinear2d(4, 5, false)
    }
}

struct MethodUpsampleBilinear2d2;

impl MethodUpsampleBilinear2d2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_bilinear2d(1, 0, true)
    }
}

struct MethodUpsampleBilinear2dWithScale0;

impl MethodUpsampleBilinear2dWithScale0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_bilinear2d_with_scale(1.5, 2.0, true)
    }
}

struct MethodUpsampleBilinear2dWithScale1;

impl MethodUpsampleBilinear2dWithScale1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_bilinear2d_with_scale(0.5, 1.0, false)
    }
}

struct MethodUpsampleBilinear2dWithScale2;

impl MethodUpsampleBilinear2dWithScale2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        in_1.upsample_bilinear2d_with_scale(1.0, 1.0, false)
    }
}

struct FunctionCandleNnOpsSoftmax0;

impl FunctionCandleNnOpsSoftmax0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax(in_1, 1)
    }
}

struct FunctionCandleNnOpsSoftmax1;

impl FunctionCandleNnOpsSoftmax1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax(in_1, D::Minus1)
    }
}

struct FunctionCandleNnOpsSoftmax2;

impl FunctionCandleNnOpsSoftmax2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax(in_1, 0)
    }
}

struct FunctionCandleNnOpsLogSoftmax0;

impl FunctionCandleNnOpsLogSoftmax0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::log_softmax(in_1, 1)
    }
}

struct FunctionCandleNnOpsLogSoftmax1;

impl FunctionCandleNnOpsLogSoftmax1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::log_softmax(in_1, D::Minus1)
    }
}

struct FunctionCandleNnOpsLogSoftmax2;

impl FunctionCandleNnOpsLogSoftmax2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::log_softmax(in_1, 0)
    }
}

struct FunctionCandleNnOpsSoftmaxLastDim0;

impl FunctionCandleNnOpsSoftmaxLastDim0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax_last_dim(in_1)
    }
}

struct FunctionCandleNnOpsSoftmaxLastDim1;

impl FunctionCandleNnOpsSoftmaxLastDim1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax_last_dim(in_1)
    }
}

struct FunctionCandleNnOpsSoftmaxLastDim2;

impl FunctionCandleNnOpsSoftmaxLastDim2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax_last_dim(in_1)
    }
}

struct FunctionCandleNnOpsSilu0;

impl FunctionCandleNnOpsSilu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::silu(in_1)
    }
}

struct FunctionCandleNnOpsSilu1;

impl FunctionCandleNnOpsSilu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::silu(in_1)
    }
}

struct FunctionCandleNnOpsSilu2;

impl FunctionCandleNnOpsSilu2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::silu(in_1)
    }
}

struct FunctionCandleNnOpsSwiglu0;

impl FunctionCandleNnOpsSwiglu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::swiglu(in_1)
    }
}

struct FunctionCandleNnOpsSwiglu1;

impl FunctionCandleNnOpsSwiglu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::swiglu(in_1)
    }
}

struct FunctionCandleNnOpsSigmoid0;

impl FunctionCandleNnOpsSigmoid0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::sigmoid(in_1)
    }
}

struct FunctionCandleNnOpsSigmoid1;

impl FunctionCandleNnOpsSigmoid1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::sigmoid(in_1)
    }
}

struct FunctionCandleNnOpsSigmoid2;

impl FunctionCandleNnOpsSigmoid2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::sigmoid(in_1)
    }
}

struct FunctionCandleNnOpsHardSigmoid0;

impl FunctionCandleNnOpsHardSigmoid0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::hard_sigmoid(in_1)
    }
}

struct FunctionCandleNnOpsHardSigmoid1;

impl FunctionCandleNnOpsHardSigmoid1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::hard_sigmoid(in_1)
    }
}

struct FunctionCandleNnOpsHardSigmoid2;

impl FunctionCandleNnOpsHardSigmoid2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::hard_sigmoid(in_1)
    }
}

struct FunctionCandleNnOpsMish0;

impl FunctionCandleNnOpsMish0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::mish(in_1)
    }
}

struct FunctionCandleNnOpsMish1;

impl FunctionCandleNnOpsMish1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::mish(in_1)
    }
}

struct FunctionCandleNnOpsLeakyRelu0;

impl FunctionCandleNnOpsLeakyRelu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::leaky_relu(in_1, 0.1)
    }
}

struct FunctionCandleNnOpsLeakyRelu1;

impl FunctionCandleNnOpsLeakyRelu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::leaky_relu(in_1, 0.0)
    }
}

struct FunctionCandleNnOpsLeakyRelu2;

impl FunctionCandleNnOpsLeakyRelu2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::leaky_relu(in_1, 0.0)
    }
}

struct FunctionCandleNnOpsSelu0;

impl FunctionCandleNnOpsSelu0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::selu(in_1, 1.7f32, 1.1f32)
    }
}

struct FunctionCandleNnOpsSelu1;

impl FunctionCandleNnOpsSelu1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::selu(in_1, 1.0f32, 1.0f32)
    }
}

struct FunctionCandleNnOpsRmsNorm0;

impl FunctionCandleNnOpsRmsNorm0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm(in_1, in_2, 1e-5f32)
    }
}

struct FunctionCandleNnOpsRmsNorm1;

impl FunctionCandleNnOpsRmsNorm1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm(in_1, in_2, 1e-5f32)
    }
}

struct FunctionCandleNnOpsRmsNorm2;

impl FunctionCandleNnOpsRmsNorm2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm(in_1, in_2, 0.0f32)
    }
}

struct FunctionCandleNnOpsRmsNormSlow0;

impl FunctionCandleNnOpsRmsNormSlow0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm_slow(in_1, in_2, 1e-5f32)
    }
}

struct FunctionCandleNnOpsRmsNormSlow1;

impl FunctionCandleNnOpsRmsNormSlow1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm_slow(in_1, in_2, 1e-5f32)
    }
}

struct FunctionCandleNnOpsRmsNormSlow2;

impl FunctionCandleNnOpsRmsNormSlow2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm_slow(in_1, in_2, 0.0f32)
    }
}

struct FunctionCandleNnOpsRmsNormSlow7;

impl FunctionCandleNnOpsRmsNormSlow7 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm_slow(in_1, in_2, 1e-5f32)
    }
}

struct FunctionCandleNnOpsRmsNormSlow8;

impl FunctionCandleNnOpsRmsNormSlow8 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm_slow(in_1, in_2, 1e-5f32)
    }
}

struct FunctionCandleNnOpsLayerNorm0;

impl FunctionCandleNnOpsLayerNorm0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::ops::layer_norm(in_1, in_2, in_3, 1e-5f32)
    }
}

struct FunctionCandleNnOpsLayerNorm1;

impl FunctionCandleNnOpsLayerNorm1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::ops::layer_norm(in_1, in_2, in_3, 1e-5f32)
    }
}

struct FunctionCandleNnOpsLayerNormSlow0;

impl FunctionCandleNnOpsLayerNormSlow0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::ops::layer_norm_slow(in_1, in_2, in_3, 1e-5f32)
    }
}

struct FunctionCandleNnOpsLayerNormSlow1;

impl FunctionCandleNnOpsLayerNormSlow1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::ops::layer_norm_slow(in_1, in_2, in_3, 1e-5f32)
    }
}

struct FunctionCandleNnOpsLayerNormSlow5;

impl FunctionCandleNnOpsLayerNormSlow5 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::ops::layer_norm_slow(in_1, in_2, in_3, 1e-5f32)
    }
}

struct FunctionCandleNnOpsPixelShuffle0;

impl FunctionCandleNnOpsPixelShuffle0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::pixel_shuffle(in_1, 2)
    }
}

struct FunctionCandleNnOpsPixelShuffle1;

impl FunctionCandleNnOpsPixelShuffle1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::pixel_shuffle(in_1, 3)
    }
}

struct FunctionCandleNnOpsPixelUnshuffle0;

impl FunctionCandleNnOpsPixelUnshuffle0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::pixel_unshuffle(in_1, 2)
    }
}

struct FunctionCandleNnOpsPixelUnshuffle1;

impl FunctionCandleNnOpsPixelUnshuffle1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::pixel_unshuffle(in_1, 3)
    }
}

struct FunctionCandleNnOpsReplicationPad2d0;

impl FunctionCandleNnOpsReplicationPad2d0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::replication_pad2d(in_1, 1)
    }
}

struct FunctionCandleNnOpsReplicationPad2d1;

impl FunctionCandleNnOpsReplicationPad2d1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::replication_pad2d(in_1, 0)
    }
}

struct FunctionCandleNnOpsDropout0;

impl FunctionCandleNnOpsDropout0 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::dropout(in_1, 0.5f32)
    }
}

struct FunctionCandleNnOpsDropout1;

impl FunctionCandleNnOpsDropout1 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::dropout(in_1, 0.0f32)
    }
}

struct FunctionCandleNnOpsDropout2;

impl FunctionCandleNnOpsDropout2 {
    pub fn forward(&self, in_1: &Tensor) -> Result<Tensor> {
        candle_nn::ops::dropout(in_1, 0.1f32)
    }
}

struct FunctionCandleNnAttentionFlashAttn0;

impl FunctionCandleNnAttentionFlashAttn0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::attention::flash_attn::<f32>(
            in_1,
            in_2,
            in_3,
            0.5f32,
            candle_nn::attention::AttnMask::causal_with_offset(2),
            None,
            None,
        )
    }
}

struct FunctionCandleNnAttentionFlashAttn1;

impl FunctionCandleNnAttentionFlashAttn1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::attention::flash_attn::<f32>(
            in_1,
            in_2,
            in_3,
            0.5f32,
            candle_nn::attention::AttnMask::causal_with_offset(0),
            None,
            None,
        )
    }
}

struct FunctionCandleNnAttentionFlashAttn2;

impl FunctionCandleNnAttentionFlashAttn2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::attention::flash_attn::<f32>(
            in_1,
            in_2,
            in_3,
            0.5f32,
            candle_nn::attention::AttnMask::None,
            None,
            Some(30.0f32),
        )
    }
}

struct FunctionCandleNnLossNll0;

impl FunctionCandleNnLossNll0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::nll(in_1, in_2)
    }
}

struct FunctionCandleNnLossNll1;

impl FunctionCandleNnLossNll1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::nll(in_1, in_2)
    }
}

struct FunctionCandleNnLossCrossEntropy0;

impl FunctionCandleNnLossCrossEntropy0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::cross_entropy(in_1, in_2)
    }
}

struct FunctionCandleNnLossCrossEntropy1;

impl FunctionCandleNnLossCrossEntropy1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::cross_entropy(in_1, in_2)
    }
}

struct FunctionCandleNnLossMse0;

impl FunctionCandleNnLossMse0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::mse(in_1, in_2)
    }
}

struct FunctionCandleNnLossMse1;

impl FunctionCandleNnLossMse1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::mse(in_1, in_2)
    }
}

struct FunctionCandleNnLossBinaryCrossEntropyWithLogit0;

impl FunctionCandleNnLossBinaryCrossEntropyWithLogit0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::binary_cross_entropy_with_logit(in_1, in_2)
    }
}

struct FunctionCandleNnLossBinaryCrossEntropyWithLogit1;

impl FunctionCandleNnLossBinaryCrossEntropyWithLogit1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor) -> Result<Tensor> {
        candle_nn::loss::binary_cross_entropy_with_logit(in_1, in_2)
    }
}

struct FunctionCandleNnRotaryEmbRope0;

impl FunctionCandleNnRotaryEmbRope0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRope1;

impl FunctionCandleNnRotaryEmbRope1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRope2;

impl FunctionCandleNnRotaryEmbRope2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRope3;

impl FunctionCandleNnRotaryEmbRope3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRope4;

impl FunctionCandleNnRotaryEmbRope4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeI0;

impl FunctionCandleNnRotaryEmbRopeI0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeI1;

impl FunctionCandleNnRotaryEmbRopeI1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeI2;

impl FunctionCandleNnRotaryEmbRopeI2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeI3;

impl FunctionCandleNnRotaryEmbRopeI3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeI4;

impl FunctionCandleNnRotaryEmbRopeI4 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeThd0;

impl FunctionCandleNnRotaryEmbRopeThd0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_thd(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeThd1;

impl FunctionCandleNnRotaryEmbRopeThd1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_thd(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeThd2;

impl FunctionCandleNnRotaryEmbRopeThd2 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_thd(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeThd3;

impl FunctionCandleNnRotaryEmbRopeThd3 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_thd(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeSlow0;

impl FunctionCandleNnRotaryEmbRopeSlow0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_slow(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeSlow1;

impl FunctionCandleNnRotaryEmbRopeSlow1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_slow(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeISlow0;

impl FunctionCandleNnRotaryEmbRopeISlow0 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i_slow(in_1, in_2, in_3)
    }
}

struct FunctionCandleNnRotaryEmbRopeISlow1;

impl FunctionCandleNnRotaryEmbRopeISlow1 {
    pub fn forward(&self, in_1: &Tensor, in_2: &Tensor, in_3: &Tensor) -> Result<Tensor> {
        candle_nn::rotary_emb::rope_i_slow(in_1, in_2, in_3)
    }
}

/// Each case's name and its call.
pub type Generated = (&'static str, fn(&[Tensor]) -> Result<Value>);

/// All cases.
pub const CASES: &[Generated] = &[
    ("function_add_0", |x| FunctionAdd0.forward(&x[0], &x[1]).into_value()),
    ("function_add_1", |x| FunctionAdd1.forward(&x[0]).into_value()),
    ("function_add_2", |x| FunctionAdd2.forward(&x[0]).into_value()),
    ("function_add_3", |x| FunctionAdd3.forward(&x[0]).into_value()),
    ("function_add_4", |x| FunctionAdd4.forward(&x[0]).into_value()),
    ("function_add_5", |x| FunctionAdd5.forward(&x[0]).into_value()),
    ("function_add_8", |x| FunctionAdd8.forward(&x[0]).into_value()),
    ("function_add_9", |x| FunctionAdd9.forward(&x[0]).into_value()),
    ("function_sub_0", |x| FunctionSub0.forward(&x[0], &x[1]).into_value()),
    ("function_sub_1", |x| FunctionSub1.forward(&x[0]).into_value()),
    ("function_sub_2", |x| FunctionSub2.forward(&x[0]).into_value()),
    ("function_sub_3", |x| FunctionSub3.forward(&x[0]).into_value()),
    ("function_sub_4", |x| FunctionSub4.forward(&x[0]).into_value()),
    ("function_sub_5", |x| FunctionSub5.forward(&x[0]).into_value()),
    ("function_mul_0", |x| FunctionMul0.forward(&x[0], &x[1]).into_value()),
    ("function_mul_1", |x| FunctionMul1.forward(&x[0]).into_value()),
    ("function_mul_2", |x| FunctionMul2.forward(&x[0]).into_value()),
    ("function_mul_3", |x| FunctionMul3.forward(&x[0]).into_value()),
    ("function_mul_4", |x| FunctionMul4.forward(&x[0]).into_value()),
    ("function_mul_5", |x| FunctionMul5.forward(&x[0]).into_value()),
    ("function_div_0", |x| FunctionDiv0.forward(&x[0], &x[1]).into_value()),
    ("function_div_1", |x| FunctionDiv1.forward(&x[0]).into_value()),
    ("function_div_2", |x| FunctionDiv2.forward(&x[0]).into_value()),
    ("function_div_3", |x| FunctionDiv3.forward(&x[0]).into_value()),
    ("function_div_4", |x| FunctionDiv4.forward(&x[0]).into_value()),
    ("function_div_5", |x| FunctionDiv5.forward(&x[0]).into_value()),
    ("function_getitem_0", |x| FunctionGetitem0.forward(&x[0], &x[1]).into_value()),
    ("method_relu_0", |x| MethodRelu0.forward(&x[0]).into_value()),
    ("method_relu_1", |x| MethodRelu1.forward(&x[0]).into_value()),
    ("method_relu_2", |x| MethodRelu2.forward(&x[0]).into_value()),
    ("method_relu_3", |x| MethodRelu3.forward(&x[0]).into_value()),
    ("method_relu_4", |x| MethodRelu4.forward(&x[0]).into_value()),
    ("method_relu_5", |x| MethodRelu5.forward(&x[0]).into_value()),
    ("method_relu_6", |x| MethodRelu6.forward(&x[0]).into_value()),
    ("method_relu_7", |x| MethodRelu7.forward(&x[0]).into_value()),
    ("method_gelu_0", |x| MethodGelu0.forward(&x[0]).into_value()),
    ("method_gelu_1", |x| MethodGelu1.forward(&x[0]).into_value()),
    ("method_gelu_2", |x| MethodGelu2.forward(&x[0]).into_value()),
    ("method_gelu_3", |x| MethodGelu3.forward(&x[0]).into_value()),
    ("method_gelu_4", |x| MethodGelu4.forward(&x[0]).into_value()),
    ("method_gelu_5", |x| MethodGelu5.forward(&x[0]).into_value()),
    ("method_gelu_6", |x| MethodGelu6.forward(&x[0]).into_value()),
    ("method_gelu_7", |x| MethodGelu7.forward(&x[0]).into_value()),
    ("method_gelu_erf_0", |x| MethodGeluErf0.forward(&x[0]).into_value()),
    ("method_gelu_erf_1", |x| MethodGeluErf1.forward(&x[0]).into_value()),
    ("method_gelu_erf_2", |x| MethodGeluErf2.forward(&x[0]).into_value()),
    ("method_gelu_erf_3", |x| MethodGeluErf3.forward(&x[0]).into_value()),
    ("method_gelu_erf_4", |x| MethodGeluErf4.forward(&x[0]).into_value()),
    ("method_gelu_erf_5", |x| MethodGeluErf5.forward(&x[0]).into_value()),
    ("method_gelu_erf_6", |x| MethodGeluErf6.forward(&x[0]).into_value()),
    ("method_gelu_erf_7", |x| MethodGeluErf7.forward(&x[0]).into_value()),
    ("method_silu_0", |x| MethodSilu0.forward(&x[0]).into_value()),
    ("method_silu_1", |x| MethodSilu1.forward(&x[0]).into_value()),
    ("method_silu_2", |x| MethodSilu2.forward(&x[0]).into_value()),
    ("method_silu_3", |x| MethodSilu3.forward(&x[0]).into_value()),
    ("method_silu_4", |x| MethodSilu4.forward(&x[0]).into_value()),
    ("method_silu_5", |x| MethodSilu5.forward(&x[0]).into_value()),
    ("method_silu_6", |x| MethodSilu6.forward(&x[0]).into_value()),
    ("method_silu_7", |x| MethodSilu7.forward(&x[0]).into_value()),
    ("method_tanh_0", |x| MethodTanh0.forward(&x[0]).into_value()),
    ("method_tanh_1", |x| MethodTanh1.forward(&x[0]).into_value()),
    ("method_tanh_2", |x| MethodTanh2.forward(&x[0]).into_value()),
    ("method_tanh_3", |x| MethodTanh3.forward(&x[0]).into_value()),
    ("method_tanh_4", |x| MethodTanh4.forward(&x[0]).into_value()),
    ("method_erf_0", |x| MethodErf0.forward(&x[0]).into_value()),
    ("method_erf_1", |x| MethodErf1.forward(&x[0]).into_value()),
    ("method_erf_2", |x| MethodErf2.forward(&x[0]).into_value()),
    ("method_erf_3", |x| MethodErf3.forward(&x[0]).into_value()),
    ("method_erf_4", |x| MethodErf4.forward(&x[0]).into_value()),
    ("method_erf_5", |x| MethodErf5.forward(&x[0]).into_value()),
    ("method_erf_6", |x| MethodErf6.forward(&x[0]).into_value()),
    ("method_erf_7", |x| MethodErf7.forward(&x[0]).into_value()),
    ("method_exp_0", |x| MethodExp0.forward(&x[0]).into_value()),
    ("method_exp_1", |x| MethodExp1.forward(&x[0]).into_value()),
    ("method_exp_2", |x| MethodExp2.forward(&x[0]).into_value()),
    ("method_exp_3", |x| MethodExp3.forward(&x[0]).into_value()),
    ("method_exp_4", |x| MethodExp4.forward(&x[0]).into_value()),
    ("method_log_0", |x| MethodLog0.forward(&x[0]).into_value()),
    ("method_log_1", |x| MethodLog1.forward(&x[0]).into_value()),
    ("method_log_2", |x| MethodLog2.forward(&x[0]).into_value()),
    ("method_log_3", |x| MethodLog3.forward(&x[0]).into_value()),
    ("method_log_4", |x| MethodLog4.forward(&x[0]).into_value()),
    ("method_sin_0", |x| MethodSin0.forward(&x[0]).into_value()),
    ("method_sin_1", |x| MethodSin1.forward(&x[0]).into_value()),
    ("method_sin_2", |x| MethodSin2.forward(&x[0]).into_value()),
    ("method_sin_3", |x| MethodSin3.forward(&x[0]).into_value()),
    ("method_sin_4", |x| MethodSin4.forward(&x[0]).into_value()),
    ("method_cos_0", |x| MethodCos0.forward(&x[0]).into_value()),
    ("method_cos_1", |x| MethodCos1.forward(&x[0]).into_value()),
    ("method_cos_2", |x| MethodCos2.forward(&x[0]).into_value()),
    ("method_cos_3", |x| MethodCos3.forward(&x[0]).into_value()),
    ("method_cos_4", |x| MethodCos4.forward(&x[0]).into_value()),
    ("method_abs_0", |x| MethodAbs0.forward(&x[0]).into_value()),
    ("method_abs_1", |x| MethodAbs1.forward(&x[0]).into_value()),
    ("method_abs_2", |x| MethodAbs2.forward(&x[0]).into_value()),
    ("method_abs_3", |x| MethodAbs3.forward(&x[0]).into_value()),
    ("method_abs_4", |x| MethodAbs4.forward(&x[0]).into_value()),
    ("method_abs_5", |x| MethodAbs5.forward(&x[0]).into_value()),
    ("method_abs_6", |x| MethodAbs6.forward(&x[0]).into_value()),
    ("method_abs_7", |x| MethodAbs7.forward(&x[0]).into_value()),
    ("method_neg_0", |x| MethodNeg0.forward(&x[0]).into_value()),
    ("method_neg_1", |x| MethodNeg1.forward(&x[0]).into_value()),
    ("method_neg_2", |x| MethodNeg2.forward(&x[0]).into_value()),
    ("method_neg_3", |x| MethodNeg3.forward(&x[0]).into_value()),
    ("method_neg_4", |x| MethodNeg4.forward(&x[0]).into_value()),
    ("method_recip_0", |x| MethodRecip0.forward(&x[0]).into_value()),
    ("method_recip_1", |x| MethodRecip1.forward(&x[0]).into_value()),
    ("method_recip_2", |x| MethodRecip2.forward(&x[0]).into_value()),
    ("method_recip_3", |x| MethodRecip3.forward(&x[0]).into_value()),
    ("method_recip_4", |x| MethodRecip4.forward(&x[0]).into_value()),
    ("method_sqr_0", |x| MethodSqr0.forward(&x[0]).into_value()),
    ("method_sqr_1", |x| MethodSqr1.forward(&x[0]).into_value()),
    ("method_sqr_2", |x| MethodSqr2.forward(&x[0]).into_value()),
    ("method_sqr_3", |x| MethodSqr3.forward(&x[0]).into_value()),
    ("method_sqr_4", |x| MethodSqr4.forward(&x[0]).into_value()),
    ("method_sqrt_0", |x| MethodSqrt0.forward(&x[0]).into_value()),
    ("method_sqrt_1", |x| MethodSqrt1.forward(&x[0]).into_value()),
    ("method_sqrt_2", |x| MethodSqrt2.forward(&x[0]).into_value()),
    ("method_sqrt_3", |x| MethodSqrt3.forward(&x[0]).into_value()),
    ("method_sqrt_4", |x| MethodSqrt4.forward(&x[0]).into_value()),
    ("method_ceil_0", |x| MethodCeil0.forward(&x[0]).into_value()),
    ("method_ceil_1", |x| MethodCeil1.forward(&x[0]).into_value()),
    ("method_ceil_2", |x| MethodCeil2.forward(&x[0]).into_value()),
    ("method_ceil_3", |x| MethodCeil3.forward(&x[0]).into_value()),
    ("method_ceil_4", |x| MethodCeil4.forward(&x[0]).into_value()),
    ("method_ceil_5", |x| MethodCeil5.forward(&x[0]).into_value()),
    ("method_ceil_6", |x| MethodCeil6.forward(&x[0]).into_value()),
    ("method_ceil_7", |x| MethodCeil7.forward(&x[0]).into_value()),
    ("method_floor_0", |x| MethodFloor0.forward(&x[0]).into_value()),
    ("method_floor_1", |x| MethodFloor1.forward(&x[0]).into_value()),
    ("method_floor_2", |x| MethodFloor2.forward(&x[0]).into_value()),
    ("method_floor_3", |x| MethodFloor3.forward(&x[0]).into_value()),
    ("method_floor_4", |x| MethodFloor4.forward(&x[0]).into_value()),
    ("method_floor_5", |x| MethodFloor5.forward(&x[0]).into_value()),
    ("method_floor_6", |x| MethodFloor6.forward(&x[0]).into_value()),
    ("method_floor_7", |x| MethodFloor7.forward(&x[0]).into_value()),
    ("method_round_0", |x| MethodRound0.forward(&x[0]).into_value()),
    ("method_round_1", |x| MethodRound1.forward(&x[0]).into_value()),
    ("method_round_2", |x| MethodRound2.forward(&x[0]).into_value()),
    ("method_round_3", |x| MethodRound3.forward(&x[0]).into_value()),
    ("method_round_4", |x| MethodRound4.forward(&x[0]).into_value()),
    ("method_round_5", |x| MethodRound5.forward(&x[0]).into_value()),
    ("method_round_6", |x| MethodRound6.forward(&x[0]).into_value()),
    ("method_round_7", |x| MethodRound7.forward(&x[0]).into_value()),
    ("method_sign_0", |x| MethodSign0.forward(&x[0]).into_value()),
    ("method_sign_1", |x| MethodSign1.forward(&x[0]).into_value()),
    ("method_sign_2", |x| MethodSign2.forward(&x[0]).into_value()),
    ("method_sign_3", |x| MethodSign3.forward(&x[0]).into_value()),
    ("method_sign_4", |x| MethodSign4.forward(&x[0]).into_value()),
    ("method_sign_5", |x| MethodSign5.forward(&x[0]).into_value()),
    ("method_sign_6", |x| MethodSign6.forward(&x[0]).into_value()),
    ("method_sign_7", |x| MethodSign7.forward(&x[0]).into_value()),
    ("method_round_to_0", |x| MethodRoundTo0.forward(&x[0]).into_value()),
    ("method_round_to_1", |x| MethodRoundTo1.forward(&x[0]).into_value()),
    ("method_round_to_2", |x| MethodRoundTo2.forward(&x[0]).into_value()),
    ("method_round_to_3", |x| MethodRoundTo3.forward(&x[0]).into_value()),
    ("method_powf_0", |x| MethodPowf0.forward(&x[0]).into_value()),
    ("method_powf_1", |x| MethodPowf1.forward(&x[0]).into_value()),
    ("method_powf_2", |x| MethodPowf2.forward(&x[0]).into_value()),
    ("method_elu_0", |x| MethodElu0.forward(&x[0]).into_value()),
    ("method_elu_1", |x| MethodElu1.forward(&x[0]).into_value()),
    ("method_elu_2", |x| MethodElu2.forward(&x[0]).into_value()),
    ("method_affine_0", |x| MethodAffine0.forward(&x[0]).into_value()),
    ("method_affine_1", |x| MethodAffine1.forward(&x[0]).into_value()),
    ("method_affine_2", |x| MethodAffine2.forward(&x[0]).into_value()),
    ("method_add_0", |x| MethodAdd0.forward(&x[0], &x[1]).into_value()),
    ("method_add_1", |x| MethodAdd1.forward(&x[0], &x[1]).into_value()),
    ("method_add_2", |x| MethodAdd2.forward(&x[0], &x[1]).into_value()),
    ("method_add_3", |x| MethodAdd3.forward(&x[0], &x[1]).into_value()),
    ("method_add_4", |x| MethodAdd4.forward(&x[0], &x[1]).into_value()),
    ("method_sub_0", |x| MethodSub0.forward(&x[0], &x[1]).into_value()),
    ("method_sub_1", |x| MethodSub1.forward(&x[0], &x[1]).into_value()),
    ("method_sub_2", |x| MethodSub2.forward(&x[0], &x[1]).into_value()),
    ("method_sub_3", |x| MethodSub3.forward(&x[0], &x[1]).into_value()),
    ("method_sub_4", |x| MethodSub4.forward(&x[0], &x[1]).into_value()),
    ("method_mul_0", |x| MethodMul0.forward(&x[0], &x[1]).into_value()),
    ("method_mul_1", |x| MethodMul1.forward(&x[0], &x[1]).into_value()),
    ("method_mul_2", |x| MethodMul2.forward(&x[0], &x[1]).into_value()),
    ("method_mul_3", |x| MethodMul3.forward(&x[0], &x[1]).into_value()),
    ("method_mul_4", |x| MethodMul4.forward(&x[0], &x[1]).into_value()),
    ("method_div_0", |x| MethodDiv0.forward(&x[0], &x[1]).into_value()),
    ("method_div_1", |x| MethodDiv1.forward(&x[0], &x[1]).into_value()),
    ("method_div_2", |x| MethodDiv2.forward(&x[0], &x[1]).into_value()),
    ("method_div_3", |x| MethodDiv3.forward(&x[0], &x[1]).into_value()),
    ("method_div_4", |x| MethodDiv4.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_add_0", |x| MethodBroadcastAdd0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_add_1", |x| MethodBroadcastAdd1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_add_2", |x| MethodBroadcastAdd2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_add_3", |x| MethodBroadcastAdd3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_add_4", |x| MethodBroadcastAdd4.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_sub_0", |x| MethodBroadcastSub0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_sub_1", |x| MethodBroadcastSub1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_sub_2", |x| MethodBroadcastSub2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_sub_3", |x| MethodBroadcastSub3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_sub_4", |x| MethodBroadcastSub4.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_mul_0", |x| MethodBroadcastMul0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_mul_1", |x| MethodBroadcastMul1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_mul_2", |x| MethodBroadcastMul2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_mul_3", |x| MethodBroadcastMul3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_mul_4", |x| MethodBroadcastMul4.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_div_0", |x| MethodBroadcastDiv0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_div_1", |x| MethodBroadcastDiv1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_div_2", |x| MethodBroadcastDiv2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_div_3", |x| MethodBroadcastDiv3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_div_4", |x| MethodBroadcastDiv4.forward(&x[0], &x[1]).into_value()),
    ("method_maximum_0", |x| MethodMaximum0.forward(&x[0], &x[1]).into_value()),
    ("method_maximum_1", |x| MethodMaximum1.forward(&x[0], &x[1]).into_value()),
    ("method_maximum_2", |x| MethodMaximum2.forward(&x[0], &x[1]).into_value()),
    ("method_maximum_3", |x| MethodMaximum3.forward(&x[0], &x[1]).into_value()),
    ("method_maximum_4", |x| MethodMaximum4.forward(&x[0], &x[1]).into_value()),
    ("method_maximum_7", |x| MethodMaximum7.forward(&x[0]).into_value()),
    ("method_maximum_8", |x| MethodMaximum8.forward(&x[0]).into_value()),
    ("method_maximum_9", |x| MethodMaximum9.forward(&x[0]).into_value()),
    ("method_broadcast_maximum_0", |x| MethodBroadcastMaximum0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_maximum_1", |x| MethodBroadcastMaximum1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_maximum_2", |x| MethodBroadcastMaximum2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_maximum_3", |x| MethodBroadcastMaximum3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_maximum_4", |x| MethodBroadcastMaximum4.forward(&x[0], &x[1]).into_value()),
    ("method_minimum_0", |x| MethodMinimum0.forward(&x[0], &x[1]).into_value()),
    ("method_minimum_1", |x| MethodMinimum1.forward(&x[0], &x[1]).into_value()),
    ("method_minimum_2", |x| MethodMinimum2.forward(&x[0], &x[1]).into_value()),
    ("method_minimum_3", |x| MethodMinimum3.forward(&x[0], &x[1]).into_value()),
    ("method_minimum_4", |x| MethodMinimum4.forward(&x[0], &x[1]).into_value()),
    ("method_minimum_7", |x| MethodMinimum7.forward(&x[0]).into_value()),
    ("method_minimum_8", |x| MethodMinimum8.forward(&x[0]).into_value()),
    ("method_minimum_9", |x| MethodMinimum9.forward(&x[0]).into_value()),
    ("method_broadcast_minimum_0", |x| MethodBroadcastMinimum0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_minimum_1", |x| MethodBroadcastMinimum1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_minimum_2", |x| MethodBroadcastMinimum2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_minimum_3", |x| MethodBroadcastMinimum3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_minimum_4", |x| MethodBroadcastMinimum4.forward(&x[0], &x[1]).into_value()),
    ("method_clamp_0", |x| MethodClamp0.forward(&x[0]).into_value()),
    ("method_clamp_1", |x| MethodClamp1.forward(&x[0]).into_value()),
    ("method_clamp_2", |x| MethodClamp2.forward(&x[0], &x[1]).into_value()),
    ("method_clamp_3", |x| MethodClamp3.forward(&x[0], &x[1]).into_value()),
    ("method_pow_0", |x| MethodPow0.forward(&x[0], &x[1]).into_value()),
    ("method_pow_1", |x| MethodPow1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_pow_0", |x| MethodBroadcastPow0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_pow_1", |x| MethodBroadcastPow1.forward(&x[0], &x[1]).into_value()),
    ("method_eq_0", |x| MethodEq0.forward(&x[0], &x[1]).into_value()),
    ("method_eq_1", |x| MethodEq1.forward(&x[0]).into_value()),
    ("method_eq_2", |x| MethodEq2.forward(&x[0]).into_value()),
    ("method_eq_3", |x| MethodEq3.forward(&x[0], &x[1]).into_value()),
    ("method_ne_0", |x| MethodNe0.forward(&x[0], &x[1]).into_value()),
    ("method_ne_1", |x| MethodNe1.forward(&x[0]).into_value()),
    ("method_ne_2", |x| MethodNe2.forward(&x[0]).into_value()),
    ("method_ne_3", |x| MethodNe3.forward(&x[0], &x[1]).into_value()),
    ("method_lt_0", |x| MethodLt0.forward(&x[0], &x[1]).into_value()),
    ("method_lt_1", |x| MethodLt1.forward(&x[0]).into_value()),
    ("method_lt_2", |x| MethodLt2.forward(&x[0]).into_value()),
    ("method_lt_3", |x| MethodLt3.forward(&x[0], &x[1]).into_value()),
    ("method_le_0", |x| MethodLe0.forward(&x[0], &x[1]).into_value()),
    ("method_le_1", |x| MethodLe1.forward(&x[0]).into_value()),
    ("method_le_2", |x| MethodLe2.forward(&x[0]).into_value()),
    ("method_le_3", |x| MethodLe3.forward(&x[0], &x[1]).into_value()),
    ("method_gt_0", |x| MethodGt0.forward(&x[0], &x[1]).into_value()),
    ("method_gt_1", |x| MethodGt1.forward(&x[0]).into_value()),
    ("method_gt_2", |x| MethodGt2.forward(&x[0]).into_value()),
    ("method_gt_3", |x| MethodGt3.forward(&x[0], &x[1]).into_value()),
    ("method_ge_0", |x| MethodGe0.forward(&x[0], &x[1]).into_value()),
    ("method_ge_1", |x| MethodGe1.forward(&x[0]).into_value()),
    ("method_ge_2", |x| MethodGe2.forward(&x[0]).into_value()),
    ("method_ge_3", |x| MethodGe3.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_eq_0", |x| MethodBroadcastEq0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_eq_1", |x| MethodBroadcastEq1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_eq_2", |x| MethodBroadcastEq2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_ne_0", |x| MethodBroadcastNe0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_ne_1", |x| MethodBroadcastNe1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_ne_2", |x| MethodBroadcastNe2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_lt_0", |x| MethodBroadcastLt0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_lt_1", |x| MethodBroadcastLt1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_lt_2", |x| MethodBroadcastLt2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_le_0", |x| MethodBroadcastLe0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_le_1", |x| MethodBroadcastLe1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_le_2", |x| MethodBroadcastLe2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_gt_0", |x| MethodBroadcastGt0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_gt_1", |x| MethodBroadcastGt1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_gt_2", |x| MethodBroadcastGt2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_ge_0", |x| MethodBroadcastGe0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_ge_1", |x| MethodBroadcastGe1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_ge_2", |x| MethodBroadcastGe2.forward(&x[0], &x[1]).into_value()),
    ("method_where_cond_0", |x| MethodWhereCond0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_where_cond_1", |x| MethodWhereCond1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_where_cond_2", |x| MethodWhereCond2.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_sum_0", |x| MethodSum0.forward(&x[0]).into_value()),
    ("method_sum_1", |x| MethodSum1.forward(&x[0]).into_value()),
    ("method_sum_2", |x| MethodSum2.forward(&x[0]).into_value()),
    ("method_sum_3", |x| MethodSum3.forward(&x[0]).into_value()),
    ("method_sum_4", |x| MethodSum4.forward(&x[0]).into_value()),
    ("method_sum_5", |x| MethodSum5.forward(&x[0]).into_value()),
    ("method_sum_6", |x| MethodSum6.forward(&x[0]).into_value()),
    ("method_sum_keepdim_0", |x| MethodSumKeepdim0.forward(&x[0]).into_value()),
    ("method_sum_keepdim_1", |x| MethodSumKeepdim1.forward(&x[0]).into_value()),
    ("method_sum_keepdim_2", |x| MethodSumKeepdim2.forward(&x[0]).into_value()),
    ("method_sum_keepdim_3", |x| MethodSumKeepdim3.forward(&x[0]).into_value()),
    ("method_sum_keepdim_4", |x| MethodSumKeepdim4.forward(&x[0]).into_value()),
    ("method_sum_keepdim_5", |x| MethodSumKeepdim5.forward(&x[0]).into_value()),
    ("method_mean_0", |x| MethodMean0.forward(&x[0]).into_value()),
    ("method_mean_1", |x| MethodMean1.forward(&x[0]).into_value()),
    ("method_mean_2", |x| MethodMean2.forward(&x[0]).into_value()),
    ("method_mean_3", |x| MethodMean3.forward(&x[0]).into_value()),
    ("method_mean_4", |x| MethodMean4.forward(&x[0]).into_value()),
    ("method_mean_5", |x| MethodMean5.forward(&x[0]).into_value()),
    ("method_mean_keepdim_0", |x| MethodMeanKeepdim0.forward(&x[0]).into_value()),
    ("method_mean_keepdim_1", |x| MethodMeanKeepdim1.forward(&x[0]).into_value()),
    ("method_mean_keepdim_2", |x| MethodMeanKeepdim2.forward(&x[0]).into_value()),
    ("method_mean_keepdim_3", |x| MethodMeanKeepdim3.forward(&x[0]).into_value()),
    ("method_mean_keepdim_4", |x| MethodMeanKeepdim4.forward(&x[0]).into_value()),
    ("method_mean_keepdim_5", |x| MethodMeanKeepdim5.forward(&x[0]).into_value()),
    ("method_max_0", |x| MethodMax0.forward(&x[0]).into_value()),
    ("method_max_1", |x| MethodMax1.forward(&x[0]).into_value()),
    ("method_max_2", |x| MethodMax2.forward(&x[0]).into_value()),
    ("method_max_keepdim_0", |x| MethodMaxKeepdim0.forward(&x[0]).into_value()),
    ("method_max_keepdim_1", |x| MethodMaxKeepdim1.forward(&x[0]).into_value()),
    ("method_max_keepdim_2", |x| MethodMaxKeepdim2.forward(&x[0]).into_value()),
    ("method_min_0", |x| MethodMin0.forward(&x[0]).into_value()),
    ("method_min_1", |x| MethodMin1.forward(&x[0]).into_value()),
    ("method_min_2", |x| MethodMin2.forward(&x[0]).into_value()),
    ("method_min_keepdim_0", |x| MethodMinKeepdim0.forward(&x[0]).into_value()),
    ("method_min_keepdim_1", |x| MethodMinKeepdim1.forward(&x[0]).into_value()),
    ("method_min_keepdim_2", |x| MethodMinKeepdim2.forward(&x[0]).into_value()),
    ("method_argmax_0", |x| MethodArgmax0.forward(&x[0]).into_value()),
    ("method_argmax_1", |x| MethodArgmax1.forward(&x[0]).into_value()),
    ("method_argmax_2", |x| MethodArgmax2.forward(&x[0]).into_value()),
    ("method_argmax_keepdim_0", |x| MethodArgmaxKeepdim0.forward(&x[0]).into_value()),
    ("method_argmax_keepdim_1", |x| MethodArgmaxKeepdim1.forward(&x[0]).into_value()),
    ("method_argmax_keepdim_2", |x| MethodArgmaxKeepdim2.forward(&x[0]).into_value()),
    ("method_argmin_0", |x| MethodArgmin0.forward(&x[0]).into_value()),
    ("method_argmin_1", |x| MethodArgmin1.forward(&x[0]).into_value()),
    ("method_argmin_2", |x| MethodArgmin2.forward(&x[0]).into_value()),
    ("method_argmin_keepdim_0", |x| MethodArgminKeepdim0.forward(&x[0]).into_value()),
    ("method_argmin_keepdim_1", |x| MethodArgminKeepdim1.forward(&x[0]).into_value()),
    ("method_argmin_keepdim_2", |x| MethodArgminKeepdim2.forward(&x[0]).into_value()),
    ("method_sum_all_0", |x| MethodSumAll0.forward(&x[0]).into_value()),
    ("method_sum_all_1", |x| MethodSumAll1.forward(&x[0]).into_value()),
    ("method_sum_all_2", |x| MethodSumAll2.forward(&x[0]).into_value()),
    ("method_sum_all_3", |x| MethodSumAll3.forward(&x[0]).into_value()),
    ("method_mean_all_0", |x| MethodMeanAll0.forward(&x[0]).into_value()),
    ("method_mean_all_1", |x| MethodMeanAll1.forward(&x[0]).into_value()),
    ("method_mean_all_2", |x| MethodMeanAll2.forward(&x[0]).into_value()),
    ("method_mean_all_3", |x| MethodMeanAll3.forward(&x[0]).into_value()),
    ("method_max_all_0", |x| MethodMaxAll0.forward(&x[0]).into_value()),
    ("method_max_all_1", |x| MethodMaxAll1.forward(&x[0]).into_value()),
    ("method_max_all_2", |x| MethodMaxAll2.forward(&x[0]).into_value()),
    ("method_min_all_0", |x| MethodMinAll0.forward(&x[0]).into_value()),
    ("method_min_all_1", |x| MethodMinAll1.forward(&x[0]).into_value()),
    ("method_min_all_2", |x| MethodMinAll2.forward(&x[0]).into_value()),
    ("method_var_0", |x| MethodVar0.forward(&x[0]).into_value()),
    ("method_var_1", |x| MethodVar1.forward(&x[0]).into_value()),
    ("method_var_2", |x| MethodVar2.forward(&x[0]).into_value()),
    ("method_var_keepdim_0", |x| MethodVarKeepdim0.forward(&x[0]).into_value()),
    ("method_var_keepdim_1", |x| MethodVarKeepdim1.forward(&x[0]).into_value()),
    ("method_var_keepdim_2", |x| MethodVarKeepdim2.forward(&x[0]).into_value()),
    ("method_log_sum_exp_0", |x| MethodLogSumExp0.forward(&x[0]).into_value()),
    ("method_log_sum_exp_1", |x| MethodLogSumExp1.forward(&x[0]).into_value()),
    ("method_log_sum_exp_2", |x| MethodLogSumExp2.forward(&x[0]).into_value()),
    ("method_log_sum_exp_3", |x| MethodLogSumExp3.forward(&x[0]).into_value()),
    ("method_norm_0", |x| MethodNorm0.forward(&x[0]).into_value()),
    ("method_norm_1", |x| MethodNorm1.forward(&x[0]).into_value()),
    ("method_norm_2", |x| MethodNorm2.forward(&x[0]).into_value()),
    ("method_cumsum_0", |x| MethodCumsum0.forward(&x[0]).into_value()),
    ("method_cumsum_1", |x| MethodCumsum1.forward(&x[0]).into_value()),
    ("method_cumsum_2", |x| MethodCumsum2.forward(&x[0]).into_value()),
    ("method_cumsum_3", |x| MethodCumsum3.forward(&x[0]).into_value()),
    ("method_cumsum_4", |x| MethodCumsum4.forward(&x[0]).into_value()),
    ("method_matmul_0", |x| MethodMatmul0.forward(&x[0], &x[1]).into_value()),
    ("method_matmul_1", |x| MethodMatmul1.forward(&x[0], &x[1]).into_value()),
    ("method_matmul_2", |x| MethodMatmul2.forward(&x[0], &x[1]).into_value()),
    ("method_matmul_3", |x| MethodMatmul3.forward(&x[0], &x[1]).into_value()),
    ("method_matmul_4", |x| MethodMatmul4.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_matmul_0", |x| MethodBroadcastMatmul0.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_matmul_1", |x| MethodBroadcastMatmul1.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_matmul_2", |x| MethodBroadcastMatmul2.forward(&x[0], &x[1]).into_value()),
    ("method_broadcast_matmul_3", |x| MethodBroadcastMatmul3.forward(&x[0], &x[1]).into_value()),
    ("method_mv_0", |x| MethodMv0.forward(&x[0], &x[1]).into_value()),
    ("method_mv_1", |x| MethodMv1.forward(&x[0], &x[1]).into_value()),
    ("method_dot_0", |x| MethodDot0.forward(&x[0], &x[1]).into_value()),
    ("method_dot_1", |x| MethodDot1.forward(&x[0], &x[1]).into_value()),
    ("method_reshape_0", |x| MethodReshape0.forward(&x[0]).into_value()),
    ("method_reshape_1", |x| MethodReshape1.forward(&x[0]).into_value()),
    ("method_reshape_2", |x| MethodReshape2.forward(&x[0]).into_value()),
    ("method_reshape_3", |x| MethodReshape3.forward(&x[0]).into_value()),
    ("method_reshape_4", |x| MethodReshape4.forward(&x[0]).into_value()),
    ("method_reshape_5", |x| MethodReshape5.forward(&x[0]).into_value()),
    ("method_reshape_6", |x| MethodReshape6.forward(&x[0]).into_value()),
    ("method_reshape_7", |x| MethodReshape7.forward(&x[0]).into_value()),
    ("method_transpose_0", |x| MethodTranspose0.forward(&x[0]).into_value()),
    ("method_transpose_1", |x| MethodTranspose1.forward(&x[0]).into_value()),
    ("method_transpose_2", |x| MethodTranspose2.forward(&x[0]).into_value()),
    ("method_t_0", |x| MethodT0.forward(&x[0]).into_value()),
    ("method_t_1", |x| MethodT1.forward(&x[0]).into_value()),
    ("method_permute_0", |x| MethodPermute0.forward(&x[0]).into_value()),
    ("method_permute_1", |x| MethodPermute1.forward(&x[0]).into_value()),
    ("method_permute_2", |x| MethodPermute2.forward(&x[0]).into_value()),
    ("method_permute_3", |x| MethodPermute3.forward(&x[0]).into_value()),
    ("method_permute_5", |x| MethodPermute5.forward(&x[0]).into_value()),
    ("method_contiguous_0", |x| MethodContiguous0.forward(&x[0]).into_value()),
    ("method_contiguous_1", |x| MethodContiguous1.forward(&x[0]).into_value()),
    ("method_force_contiguous_0", |x| MethodForceContiguous0.forward(&x[0]).into_value()),
    ("method_force_contiguous_1", |x| MethodForceContiguous1.forward(&x[0]).into_value()),
    ("method_copy_0", |x| MethodCopy0.forward(&x[0]).into_value()),
    ("method_copy_1", |x| MethodCopy1.forward(&x[0]).into_value()),
    ("method_detach_0", |x| MethodDetach0.forward(&x[0]).into_value()),
    ("method_detach_1", |x| MethodDetach1.forward(&x[0]).into_value()),
    ("method_to_device_0", |x| MethodToDevice0.forward(&x[0]).into_value()),
    ("method_to_dtype_0", |x| MethodToDtype0.forward(&x[0]).into_value()),
    ("method_to_dtype_1", |x| MethodToDtype1.forward(&x[0]).into_value()),
    ("method_to_dtype_2", |x| MethodToDtype2.forward(&x[0]).into_value()),
    ("method_to_dtype_3", |x| MethodToDtype3.forward(&x[0]).into_value()),
    ("method_to_dtype_4", |x| MethodToDtype4.forward(&x[0]).into_value()),
    ("method_to_dtype_5", |x| MethodToDtype5.forward(&x[0]).into_value()),
    ("method_to_dtype_6", |x| MethodToDtype6.forward(&x[0]).into_value()),
    ("method_to_dtype_7", |x| MethodToDtype7.forward(&x[0]).into_value()),
    ("method_to_dtype_8", |x| MethodToDtype8.forward(&x[0]).into_value()),
    ("method_to_dtype_9", |x| MethodToDtype9.forward(&x[0]).into_value()),
    ("method_to_dtype_10", |x| MethodToDtype10.forward(&x[0]).into_value()),
    ("method_unsqueeze_0", |x| MethodUnsqueeze0.forward(&x[0]).into_value()),
    ("method_unsqueeze_1", |x| MethodUnsqueeze1.forward(&x[0]).into_value()),
    ("method_unsqueeze_2", |x| MethodUnsqueeze2.forward(&x[0]).into_value()),
    ("method_unsqueeze_3", |x| MethodUnsqueeze3.forward(&x[0]).into_value()),
    ("method_unsqueeze_4", |x| MethodUnsqueeze4.forward(&x[0]).into_value()),
    ("method_squeeze_0", |x| MethodSqueeze0.forward(&x[0]).into_value()),
    ("method_squeeze_1", |x| MethodSqueeze1.forward(&x[0]).into_value()),
    ("method_squeeze_2", |x| MethodSqueeze2.forward(&x[0]).into_value()),
    ("method_flatten_0", |x| MethodFlatten0.forward(&x[0]).into_value()),
    ("method_flatten_1", |x| MethodFlatten1.forward(&x[0]).into_value()),
    ("method_flatten_2", |x| MethodFlatten2.forward(&x[0]).into_value()),
    ("method_flatten_3", |x| MethodFlatten3.forward(&x[0]).into_value()),
    ("method_flatten_to_0", |x| MethodFlattenTo0.forward(&x[0]).into_value()),
    ("method_flatten_to_1", |x| MethodFlattenTo1.forward(&x[0]).into_value()),
    ("method_flatten_to_2", |x| MethodFlattenTo2.forward(&x[0]).into_value()),
    ("method_flatten_to_3", |x| MethodFlattenTo3.forward(&x[0]).into_value()),
    ("method_flatten_from_0", |x| MethodFlattenFrom0.forward(&x[0]).into_value()),
    ("method_flatten_from_1", |x| MethodFlattenFrom1.forward(&x[0]).into_value()),
    ("method_flatten_from_2", |x| MethodFlattenFrom2.forward(&x[0]).into_value()),
    ("method_flatten_from_3", |x| MethodFlattenFrom3.forward(&x[0]).into_value()),
    ("method_flatten_all_0", |x| MethodFlattenAll0.forward(&x[0]).into_value()),
    ("method_flatten_all_1", |x| MethodFlattenAll1.forward(&x[0]).into_value()),
    ("method_flatten_all_2", |x| MethodFlattenAll2.forward(&x[0]).into_value()),
    ("method_broadcast_as_0", |x| MethodBroadcastAs0.forward(&x[0]).into_value()),
    ("method_broadcast_as_1", |x| MethodBroadcastAs1.forward(&x[0]).into_value()),
    ("method_broadcast_as_2", |x| MethodBroadcastAs2.forward(&x[0]).into_value()),
    ("method_broadcast_as_3", |x| MethodBroadcastAs3.forward(&x[0]).into_value()),
    ("method_broadcast_as_4", |x| MethodBroadcastAs4.forward(&x[0]).into_value()),
    ("method_expand_0", |x| MethodExpand0.forward(&x[0]).into_value()),
    ("method_expand_1", |x| MethodExpand1.forward(&x[0]).into_value()),
    ("method_expand_2", |x| MethodExpand2.forward(&x[0]).into_value()),
    ("method_expand_3", |x| MethodExpand3.forward(&x[0]).into_value()),
    ("method_expand_4", |x| MethodExpand4.forward(&x[0]).into_value()),
    ("method_broadcast_left_0", |x| MethodBroadcastLeft0.forward(&x[0]).into_value()),
    ("method_broadcast_left_1", |x| MethodBroadcastLeft1.forward(&x[0]).into_value()),
    ("method_broadcast_left_2", |x| MethodBroadcastLeft2.forward(&x[0]).into_value()),
    ("method_repeat_0", |x| MethodRepeat0.forward(&x[0]).into_value()),
    ("method_repeat_1", |x| MethodRepeat1.forward(&x[0]).into_value()),
    ("method_repeat_2", |x| MethodRepeat2.forward(&x[0]).into_value()),
    ("method_repeat_3", |x| MethodRepeat3.forward(&x[0]).into_value()),
    ("method_narrow_0", |x| MethodNarrow0.forward(&x[0]).into_value()),
    ("method_narrow_1", |x| MethodNarrow1.forward(&x[0]).into_value()),
    ("method_narrow_2", |x| MethodNarrow2.forward(&x[0]).into_value()),
    ("method_chunk_0", |x| MethodChunk0.forward(&x[0]).into_value()),
    ("method_chunk_1", |x| MethodChunk1.forward(&x[0]).into_value()),
    ("method_chunk_2", |x| MethodChunk2.forward(&x[0]).into_value()),
    ("method_chunk_3", |x| MethodChunk3.forward(&x[0]).into_value()),
    ("method_get_0", |x| MethodGet0.forward(&x[0]).into_value()),
    ("method_get_1", |x| MethodGet1.forward(&x[0]).into_value()),
    ("method_get_on_dim_0", |x| MethodGetOnDim0.forward(&x[0]).into_value()),
    ("method_get_on_dim_1", |x| MethodGetOnDim1.forward(&x[0]).into_value()),
    ("method_roll_0", |x| MethodRoll0.forward(&x[0]).into_value()),
    ("method_roll_1", |x| MethodRoll1.forward(&x[0]).into_value()),
    ("method_roll_2", |x| MethodRoll2.forward(&x[0]).into_value()),
    ("method_flip_0", |x| MethodFlip0.forward(&x[0]).into_value()),
    ("method_flip_1", |x| MethodFlip1.forward(&x[0]).into_value()),
    ("method_flip_2", |x| MethodFlip2.forward(&x[0]).into_value()),
    ("method_flip_3", |x| MethodFlip3.forward(&x[0]).into_value()),
    ("method_pad_with_zeros_0", |x| MethodPadWithZeros0.forward(&x[0]).into_value()),
    ("method_pad_with_zeros_1", |x| MethodPadWithZeros1.forward(&x[0]).into_value()),
    ("method_pad_with_zeros_2", |x| MethodPadWithZeros2.forward(&x[0]).into_value()),
    ("method_pad_with_zeros_3", |x| MethodPadWithZeros3.forward(&x[0]).into_value()),
    ("method_pad_with_same_0", |x| MethodPadWithSame0.forward(&x[0]).into_value()),
    ("method_pad_with_same_1", |x| MethodPadWithSame1.forward(&x[0]).into_value()),
    ("method_pad_with_same_2", |x| MethodPadWithSame2.forward(&x[0]).into_value()),
    ("method_pad_with_same_3", |x| MethodPadWithSame3.forward(&x[0]).into_value()),
    ("method_unfold_0", |x| MethodUnfold0.forward(&x[0]).into_value()),
    ("method_unfold_1", |x| MethodUnfold1.forward(&x[0]).into_value()),
    ("method_unfold_2", |x| MethodUnfold2.forward(&x[0]).into_value()),
    ("function_tensor_cat_0", |x| FunctionTensorCat0.forward(&x[0], &x[1]).into_value()),
    ("function_tensor_cat_1", |x| FunctionTensorCat1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_tensor_cat_2", |x| FunctionTensorCat2.forward(&x[0]).into_value()),
    ("function_tensor_stack_0", |x| FunctionTensorStack0.forward(&x[0], &x[1]).into_value()),
    ("function_tensor_stack_1", |x| FunctionTensorStack1.forward(&x[0], &x[1]).into_value()),
    ("function_tensor_stack_2", |x| FunctionTensorStack2.forward(&x[0]).into_value()),
    ("function_tensor_meshgrid_0", |x| FunctionTensorMeshgrid0.forward(&x[0], &x[1]).into_value()),
    ("function_tensor_meshgrid_1", |x| FunctionTensorMeshgrid1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_i_0", |x| MethodI0.forward(&x[0]).into_value()),
    ("method_i_1", |x| MethodI1.forward(&x[0]).into_value()),
    ("method_i_2", |x| MethodI2.forward(&x[0]).into_value()),
    ("method_i_3", |x| MethodI3.forward(&x[0]).into_value()),
    ("method_i_4", |x| MethodI4.forward(&x[0]).into_value()),
    ("method_i_5", |x| MethodI5.forward(&x[0]).into_value()),
    ("method_i_6", |x| MethodI6.forward(&x[0]).into_value()),
    ("method_i_7", |x| MethodI7.forward(&x[0], &x[1]).into_value()),
    ("method_i_8", |x| MethodI8.forward(&x[0], &x[1]).into_value()),
    ("method_i_9", |x| MethodI9.forward(&x[0], &x[1]).into_value()),
    ("method_i_10", |x| MethodI10.forward(&x[0]).into_value()),
    ("method_i_11", |x| MethodI11.forward(&x[0]).into_value()),
    ("method_index_select_0", |x| MethodIndexSelect0.forward(&x[0], &x[1]).into_value()),
    ("method_index_select_1", |x| MethodIndexSelect1.forward(&x[0], &x[1]).into_value()),
    ("method_index_select_2", |x| MethodIndexSelect2.forward(&x[0], &x[1]).into_value()),
    ("method_embedding_0", |x| MethodEmbedding0.forward(&x[0], &x[1]).into_value()),
    ("method_embedding_1", |x| MethodEmbedding1.forward(&x[0], &x[1]).into_value()),
    ("method_gather_0", |x| MethodGather0.forward(&x[0], &x[1]).into_value()),
    ("method_gather_1", |x| MethodGather1.forward(&x[0], &x[1]).into_value()),
    ("method_scatter_0", |x| MethodScatter0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_scatter_1", |x| MethodScatter1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_scatter_add_0", |x| MethodScatterAdd0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_scatter_add_1", |x| MethodScatterAdd1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_scatter_add_7", |x| MethodScatterAdd7.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_index_add_0", |x| MethodIndexAdd0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_index_add_1", |x| MethodIndexAdd1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("method_slice_scatter_0", |x| MethodSliceScatter0.forward(&x[0], &x[1]).into_value()),
    ("method_slice_scatter_1", |x| MethodSliceScatter1.forward(&x[0], &x[1]).into_value()),
    ("method_slice_scatter0_0", |x| MethodSliceScatter00.forward(&x[0], &x[1]).into_value()),
    ("method_slice_assign_0", |x| MethodSliceAssign0.forward(&x[0], &x[1]).into_value()),
    ("method_slice_assign_1", |x| MethodSliceAssign1.forward(&x[0], &x[1]).into_value()),
    ("method_slice_assign_2", |x| MethodSliceAssign2.forward(&x[0], &x[1]).into_value()),
    ("method_arg_sort_last_dim_0", |x| MethodArgSortLastDim0.forward(&x[0]).into_value()),
    ("method_arg_sort_last_dim_1", |x| MethodArgSortLastDim1.forward(&x[0]).into_value()),
    ("method_sort_last_dim_0", |x| MethodSortLastDim0.forward(&x[0]).into_value()),
    ("method_sort_last_dim_1", |x| MethodSortLastDim1.forward(&x[0]).into_value()),
    ("function_tensor_zeros_0", |_| FunctionTensorZeros0.forward().into_value()),
    ("function_tensor_zeros_1", |_| FunctionTensorZeros1.forward().into_value()),
    ("function_tensor_zeros_2", |_| FunctionTensorZeros2.forward().into_value()),
    ("function_tensor_zeros_3", |_| FunctionTensorZeros3.forward().into_value()),
    ("function_tensor_zeros_4", |_| FunctionTensorZeros4.forward().into_value()),
    ("method_zeros_like_0", |x| MethodZerosLike0.forward(&x[0]).into_value()),
    ("method_zeros_like_1", |x| MethodZerosLike1.forward(&x[0]).into_value()),
    ("function_tensor_ones_0", |_| FunctionTensorOnes0.forward().into_value()),
    ("function_tensor_ones_1", |_| FunctionTensorOnes1.forward().into_value()),
    ("function_tensor_ones_2", |_| FunctionTensorOnes2.forward().into_value()),
    ("function_tensor_ones_3", |_| FunctionTensorOnes3.forward().into_value()),
    ("function_tensor_ones_4", |_| FunctionTensorOnes4.forward().into_value()),
    ("method_ones_like_0", |x| MethodOnesLike0.forward(&x[0]).into_value()),
    ("method_ones_like_1", |x| MethodOnesLike1.forward(&x[0]).into_value()),
    ("function_tensor_full_0", |_| FunctionTensorFull0.forward().into_value()),
    ("function_tensor_full_1", |_| FunctionTensorFull1.forward().into_value()),
    ("function_tensor_full_2", |_| FunctionTensorFull2.forward().into_value()),
    ("function_tensor_arange_0", |_| FunctionTensorArange0.forward().into_value()),
    ("function_tensor_arange_1", |_| FunctionTensorArange1.forward().into_value()),
    ("function_tensor_arange_2", |_| FunctionTensorArange2.forward().into_value()),
    ("function_tensor_arange_3", |_| FunctionTensorArange3.forward().into_value()),
    ("function_tensor_arange_4", |_| FunctionTensorArange4.forward().into_value()),
    ("function_tensor_arange_5", |_| FunctionTensorArange5.forward().into_value()),
    ("function_tensor_arange_6", |_| FunctionTensorArange6.forward().into_value()),
    ("function_tensor_arange_7", |_| FunctionTensorArange7.forward().into_value()),
    ("function_tensor_arange_step_0", |_| FunctionTensorArangeStep0.forward().into_value()),
    ("function_tensor_arange_step_1", |_| FunctionTensorArangeStep1.forward().into_value()),
    ("function_tensor_arange_step_2", |_| FunctionTensorArangeStep2.forward().into_value()),
    ("function_tensor_arange_step_3", |_| FunctionTensorArangeStep3.forward().into_value()),
    ("function_tensor_arange_step_4", |_| FunctionTensorArangeStep4.forward().into_value()),
    ("function_tensor_eye_0", |_| FunctionTensorEye0.forward().into_value()),
    ("function_tensor_eye_1", |_| FunctionTensorEye1.forward().into_value()),
    ("function_tensor_eye_2", |_| FunctionTensorEye2.forward().into_value()),
    ("function_tensor_tril2_0", |_| FunctionTensorTril20.forward().into_value()),
    ("function_tensor_tril2_1", |_| FunctionTensorTril21.forward().into_value()),
    ("function_tensor_tril2_2", |_| FunctionTensorTril22.forward().into_value()),
    ("function_tensor_triu2_0", |_| FunctionTensorTriu20.forward().into_value()),
    ("function_tensor_triu2_1", |_| FunctionTensorTriu21.forward().into_value()),
    ("function_tensor_triu2_2", |_| FunctionTensorTriu22.forward().into_value()),
    ("function_tensor_rand_0", |_| FunctionTensorRand0.forward().into_value()),
    ("function_tensor_rand_1", |_| FunctionTensorRand1.forward().into_value()),
    ("function_tensor_rand_2", |_| FunctionTensorRand2.forward().into_value()),
    ("function_tensor_rand_3", |_| FunctionTensorRand3.forward().into_value()),
    ("function_tensor_randn_0", |_| FunctionTensorRandn0.forward().into_value()),
    ("function_tensor_randn_1", |_| FunctionTensorRandn1.forward().into_value()),
    ("function_tensor_randn_2", |_| FunctionTensorRandn2.forward().into_value()),
    ("function_tensor_randn_3", |_| FunctionTensorRandn3.forward().into_value()),
    ("method_rand_like_0", |x| MethodRandLike0.forward(&x[0]).into_value()),
    ("method_rand_like_1", |x| MethodRandLike1.forward(&x[0]).into_value()),
    ("method_randn_like_0", |x| MethodRandnLike0.forward(&x[0]).into_value()),
    ("method_randn_like_1", |x| MethodRandnLike1.forward(&x[0]).into_value()),
    ("method_conv1d_0", |x| MethodConv1d0.forward(&x[0], &x[1]).into_value()),
    ("method_conv1d_1", |x| MethodConv1d1.forward(&x[0], &x[1]).into_value()),
    ("method_conv1d_2", |x| MethodConv1d2.forward(&x[0], &x[1]).into_value()),
    ("method_conv1d_3", |x| MethodConv1d3.forward(&x[0], &x[1]).into_value()),
    ("method_conv1d_4", |x| MethodConv1d4.forward(&x[0], &x[1]).into_value()),
    ("method_conv2d_0", |x| MethodConv2d0.forward(&x[0], &x[1]).into_value()),
    ("method_conv2d_1", |x| MethodConv2d1.forward(&x[0], &x[1]).into_value()),
    ("method_conv2d_2", |x| MethodConv2d2.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose1d_0", |x| MethodConvTranspose1d0.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose1d_1", |x| MethodConvTranspose1d1.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose1d_2", |x| MethodConvTranspose1d2.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose1d_3", |x| MethodConvTranspose1d3.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose2d_0", |x| MethodConvTranspose2d0.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose2d_1", |x| MethodConvTranspose2d1.forward(&x[0], &x[1]).into_value()),
    ("method_conv_transpose2d_2", |x| MethodConvTranspose2d2.forward(&x[0], &x[1]).into_value()),
    ("method_avg_pool2d_0", |x| MethodAvgPool2d0.forward(&x[0]).into_value()),
    ("method_avg_pool2d_1", |x| MethodAvgPool2d1.forward(&x[0]).into_value()),
    ("method_avg_pool2d_2", |x| MethodAvgPool2d2.forward(&x[0]).into_value()),
    ("method_avg_pool2d_with_stride_0", |x| MethodAvgPool2dWithStride0.forward(&x[0]).into_value()),
    ("method_avg_pool2d_with_stride_1", |x| MethodAvgPool2dWithStride1.forward(&x[0]).into_value()),
    ("method_max_pool2d_0", |x| MethodMaxPool2d0.forward(&x[0]).into_value()),
    ("method_max_pool2d_1", |x| MethodMaxPool2d1.forward(&x[0]).into_value()),
    ("method_max_pool2d_2", |x| MethodMaxPool2d2.forward(&x[0]).into_value()),
    ("method_max_pool2d_with_stride_0", |x| MethodMaxPool2dWithStride0.forward(&x[0]).into_value()),
    ("method_max_pool2d_with_stride_1", |x| MethodMaxPool2dWithStride1.forward(&x[0]).into_value()),
    ("method_interpolate1d_0", |x| MethodInterpolate1d0.forward(&x[0]).into_value()),
    ("method_interpolate1d_1", |x| MethodInterpolate1d1.forward(&x[0]).into_value()),
    ("method_interpolate1d_2", |x| MethodInterpolate1d2.forward(&x[0]).into_value()),
    ("method_upsample_nearest1d_0", |x| MethodUpsampleNearest1d0.forward(&x[0]).into_value()),
    ("method_upsample_nearest1d_1", |x| MethodUpsampleNearest1d1.forward(&x[0]).into_value()),
    ("method_upsample_nearest1d_2", |x| MethodUpsampleNearest1d2.forward(&x[0]).into_value()),
    ("method_interpolate2d_0", |x| MethodInterpolate2d0.forward(&x[0]).into_value()),
    ("method_interpolate2d_1", |x| MethodInterpolate2d1.forward(&x[0]).into_value()),
    ("method_upsample_nearest2d_0", |x| MethodUpsampleNearest2d0.forward(&x[0]).into_value()),
    ("method_upsample_nearest2d_1", |x| MethodUpsampleNearest2d1.forward(&x[0]).into_value()),
    ("method_upsample_bilinear2d_0", |x| MethodUpsampleBilinear2d0.forward(&x[0]).into_value()),
    ("method_upsample_bilinear2d_1", |x| MethodUpsampleBilinear2d1.forward(&x[0]).into_value()),
    ("method_upsample_bilinear2d_2", |x| MethodUpsampleBilinear2d2.forward(&x[0]).into_value()),
    ("method_upsample_bilinear2d_with_scale_0", |x| MethodUpsampleBilinear2dWithScale0.forward(&x[0]).into_value()),
    ("method_upsample_bilinear2d_with_scale_1", |x| MethodUpsampleBilinear2dWithScale1.forward(&x[0]).into_value()),
    ("method_upsample_bilinear2d_with_scale_2", |x| MethodUpsampleBilinear2dWithScale2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_softmax_0", |x| FunctionCandleNnOpsSoftmax0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_softmax_1", |x| FunctionCandleNnOpsSoftmax1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_softmax_2", |x| FunctionCandleNnOpsSoftmax2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_log_softmax_0", |x| FunctionCandleNnOpsLogSoftmax0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_log_softmax_1", |x| FunctionCandleNnOpsLogSoftmax1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_log_softmax_2", |x| FunctionCandleNnOpsLogSoftmax2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_softmax_last_dim_0", |x| FunctionCandleNnOpsSoftmaxLastDim0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_softmax_last_dim_1", |x| FunctionCandleNnOpsSoftmaxLastDim1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_softmax_last_dim_2", |x| FunctionCandleNnOpsSoftmaxLastDim2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_silu_0", |x| FunctionCandleNnOpsSilu0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_silu_1", |x| FunctionCandleNnOpsSilu1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_silu_2", |x| FunctionCandleNnOpsSilu2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_swiglu_0", |x| FunctionCandleNnOpsSwiglu0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_swiglu_1", |x| FunctionCandleNnOpsSwiglu1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_sigmoid_0", |x| FunctionCandleNnOpsSigmoid0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_sigmoid_1", |x| FunctionCandleNnOpsSigmoid1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_sigmoid_2", |x| FunctionCandleNnOpsSigmoid2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_hard_sigmoid_0", |x| FunctionCandleNnOpsHardSigmoid0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_hard_sigmoid_1", |x| FunctionCandleNnOpsHardSigmoid1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_hard_sigmoid_2", |x| FunctionCandleNnOpsHardSigmoid2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_mish_0", |x| FunctionCandleNnOpsMish0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_mish_1", |x| FunctionCandleNnOpsMish1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_leaky_relu_0", |x| FunctionCandleNnOpsLeakyRelu0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_leaky_relu_1", |x| FunctionCandleNnOpsLeakyRelu1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_leaky_relu_2", |x| FunctionCandleNnOpsLeakyRelu2.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_selu_0", |x| FunctionCandleNnOpsSelu0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_selu_1", |x| FunctionCandleNnOpsSelu1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_rms_norm_0", |x| FunctionCandleNnOpsRmsNorm0.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_1", |x| FunctionCandleNnOpsRmsNorm1.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_2", |x| FunctionCandleNnOpsRmsNorm2.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_slow_0", |x| FunctionCandleNnOpsRmsNormSlow0.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_slow_1", |x| FunctionCandleNnOpsRmsNormSlow1.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_slow_2", |x| FunctionCandleNnOpsRmsNormSlow2.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_slow_7", |x| FunctionCandleNnOpsRmsNormSlow7.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_rms_norm_slow_8", |x| FunctionCandleNnOpsRmsNormSlow8.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_ops_layer_norm_0", |x| FunctionCandleNnOpsLayerNorm0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_ops_layer_norm_1", |x| FunctionCandleNnOpsLayerNorm1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_ops_layer_norm_slow_0", |x| FunctionCandleNnOpsLayerNormSlow0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_ops_layer_norm_slow_1", |x| FunctionCandleNnOpsLayerNormSlow1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_ops_layer_norm_slow_5", |x| FunctionCandleNnOpsLayerNormSlow5.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_ops_pixel_shuffle_0", |x| FunctionCandleNnOpsPixelShuffle0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_pixel_shuffle_1", |x| FunctionCandleNnOpsPixelShuffle1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_pixel_unshuffle_0", |x| FunctionCandleNnOpsPixelUnshuffle0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_pixel_unshuffle_1", |x| FunctionCandleNnOpsPixelUnshuffle1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_replication_pad2d_0", |x| FunctionCandleNnOpsReplicationPad2d0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_replication_pad2d_1", |x| FunctionCandleNnOpsReplicationPad2d1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_dropout_0", |x| FunctionCandleNnOpsDropout0.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_dropout_1", |x| FunctionCandleNnOpsDropout1.forward(&x[0]).into_value()),
    ("function_candle_nn_ops_dropout_2", |x| FunctionCandleNnOpsDropout2.forward(&x[0]).into_value()),
    ("function_candle_nn_attention_flash_attn_0", |x| FunctionCandleNnAttentionFlashAttn0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_attention_flash_attn_1", |x| FunctionCandleNnAttentionFlashAttn1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_attention_flash_attn_2", |x| FunctionCandleNnAttentionFlashAttn2.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_loss_nll_0", |x| FunctionCandleNnLossNll0.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_nll_1", |x| FunctionCandleNnLossNll1.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_cross_entropy_0", |x| FunctionCandleNnLossCrossEntropy0.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_cross_entropy_1", |x| FunctionCandleNnLossCrossEntropy1.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_mse_0", |x| FunctionCandleNnLossMse0.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_mse_1", |x| FunctionCandleNnLossMse1.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_binary_cross_entropy_with_logit_0", |x| FunctionCandleNnLossBinaryCrossEntropyWithLogit0.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_loss_binary_cross_entropy_with_logit_1", |x| FunctionCandleNnLossBinaryCrossEntropyWithLogit1.forward(&x[0], &x[1]).into_value()),
    ("function_candle_nn_rotary_emb_rope_0", |x| FunctionCandleNnRotaryEmbRope0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_1", |x| FunctionCandleNnRotaryEmbRope1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_2", |x| FunctionCandleNnRotaryEmbRope2.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_3", |x| FunctionCandleNnRotaryEmbRope3.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_4", |x| FunctionCandleNnRotaryEmbRope4.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_0", |x| FunctionCandleNnRotaryEmbRopeI0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_1", |x| FunctionCandleNnRotaryEmbRopeI1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_2", |x| FunctionCandleNnRotaryEmbRopeI2.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_3", |x| FunctionCandleNnRotaryEmbRopeI3.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_4", |x| FunctionCandleNnRotaryEmbRopeI4.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_thd_0", |x| FunctionCandleNnRotaryEmbRopeThd0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_thd_1", |x| FunctionCandleNnRotaryEmbRopeThd1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_thd_2", |x| FunctionCandleNnRotaryEmbRopeThd2.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_thd_3", |x| FunctionCandleNnRotaryEmbRopeThd3.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_slow_0", |x| FunctionCandleNnRotaryEmbRopeSlow0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_slow_1", |x| FunctionCandleNnRotaryEmbRopeSlow1.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_slow_0", |x| FunctionCandleNnRotaryEmbRopeISlow0.forward(&x[0], &x[1], &x[2]).into_value()),
    ("function_candle_nn_rotary_emb_rope_i_slow_1", |x| FunctionCandleNnRotaryEmbRopeISlow1.forward(&x[0], &x[1], &x[2]).into_value()),
];
