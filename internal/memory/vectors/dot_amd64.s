#include "textflag.h"

// func dotAVX2(a, b *int16, n int) int32
// n is a multiple of 16, and not zero.
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	TESTQ $16, CX
	JZ pairs
	VMOVDQU (DI), Y2
	VPMADDWD (SI), Y2, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $16, CX
	JZ done
pairs:
	VMOVDQU (DI), Y2
	VPMADDWD (SI), Y2, Y2
	VPADDD Y2, Y0, Y0
	VMOVDQU 32(DI), Y3
	VPMADDWD 32(SI), Y3, Y3
	VPADDD Y3, Y1, Y1
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $32, CX
	JNZ pairs
done:
	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, AX
	MOVL AX, ret+24(FP)
	VZEROUPPER
	RET

// SPREAD ends a look-up. Y0 and Y2 have what even and odd bytes gave together,
// Y1 and Y3 the odd ones; both halves of a register belong to the same vectors.
#define SPREAD \
	VPSLLW $8, Y1, Y4 \
	VPSUBW Y4, Y0, Y0 \
	VPSLLW $8, Y3, Y4 \
	VPSUBW Y4, Y2, Y2 \
	VEXTRACTI128 $1, Y0, X4 \
	VPADDW X4, X0, X0 \
	VEXTRACTI128 $1, Y1, X4 \
	VPADDW X4, X1, X1 \
	VEXTRACTI128 $1, Y2, X4 \
	VPADDW X4, X2, X2 \
	VEXTRACTI128 $1, Y3, X4 \
	VPADDW X4, X3, X3 \
	VPUNPCKLWD X1, X0, X4 \
	VPUNPCKHWD X1, X0, X5 \
	VMOVDQU X4, (DX) \
	VMOVDQU X5, 16(DX) \
	VPUNPCKLWD X3, X2, X4 \
	VPUNPCKHWD X3, X2, X5 \
	VMOVDQU X4, 32(DX) \
	VMOVDQU X5, 48(DX)

// func sumsAVX2(tables, codes *byte, n int, sums *[32]uint16)
// n is a multiple of 32, and not zero. A register holds two positions, 16 bytes
// each. Bytes are added as words: Y0 (lower halves of the codes) and Y2 (upper)
// get both bytes of each word, Y1 and Y3 the odd ones alone; the even ones are
// what is left in the end.
TEXT ·sumsAVX2(SB), NOSPLIT, $0-32
	MOVQ tables+0(FP), SI
	MOVQ codes+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ sums+24(FP), DX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVL $0x0f0f0f0f, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
look:
	VMOVDQU (DI), Y4
	VMOVDQU (SI), Y5
	VPSRLW $4, Y4, Y6
	VPAND Y15, Y4, Y4
	VPAND Y15, Y6, Y6
	VPSHUFB Y4, Y5, Y4
	VPSHUFB Y6, Y5, Y6
	VPADDW Y4, Y0, Y0
	VPSRLW $8, Y4, Y4
	VPADDW Y4, Y1, Y1
	VPADDW Y6, Y2, Y2
	VPSRLW $8, Y6, Y6
	VPADDW Y6, Y3, Y3
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $32, CX
	JNZ look
	SPREAD
	VZEROUPPER
	RET

// func sumsAVX512(tables, codes *byte, n int, sums *[32]uint16)
// The same with four positions to a register; n is a multiple of 64, and not zero.
TEXT ·sumsAVX512(SB), NOSPLIT, $0-32
	MOVQ tables+0(FP), SI
	MOVQ codes+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ sums+24(FP), DX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	MOVL $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z15
look5:
	VMOVDQU64 (DI), Z4
	VMOVDQU64 (SI), Z5
	VPSRLW $4, Z4, Z6
	VPANDQ Z15, Z4, Z4
	VPANDQ Z15, Z6, Z6
	VPSHUFB Z4, Z5, Z4
	VPSHUFB Z6, Z5, Z6
	VPADDW Z4, Z0, Z0
	VPSRLW $8, Z4, Z4
	VPADDW Z4, Z1, Z1
	VPADDW Z6, Z2, Z2
	VPSRLW $8, Z6, Z6
	VPADDW Z6, Z3, Z3
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JNZ look5
	VEXTRACTI64X4 $1, Z0, Y4
	VPADDW Y4, Y0, Y0
	VEXTRACTI64X4 $1, Z1, Y4
	VPADDW Y4, Y1, Y1
	VEXTRACTI64X4 $1, Z2, Y4
	VPADDW Y4, Y2, Y2
	VEXTRACTI64X4 $1, Z3, Y4
	VPADDW Y4, Y3, Y3
	SPREAD
	VZEROUPPER
	RET
