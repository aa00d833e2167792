package amdgpu

// Instructions that only graphics needs. They are assembled, disassembled and explained, but never
// executed.

const (
	whyImage  = "images are not modelled: resources, samplers and texel formats belong to graphics"
	whyInterp = "vertex attributes are not modelled: only the graphics pipeline puts them into LDS"
	whyExport = "there are no render targets, positions and parameters to export to: they belong to graphics"
)

// interpolate makes an interpolation of the format VINTRP, which has a VOP3 encoding, too.
// GCN3 ISA 12, VINTRP; the VOP3 opcodes are LLVM's.
func interpolate(op uint16, name string, src Class, t Type) Row {
	return row(VINTRP, op, name, out(FieldVDST, ClassVGPR, F32), in(FieldVSRC, src, t), in(FieldATTR, ClassAttr, F32)).
		enc(E32, E64).fl(FlagClamp | FlagOMod).r(M0).never(whyInterp)
}

// interp16 makes an interpolation of half floats, which has the VOP3 encoding only.
func interp16(op uint16, name string, d Type, src ...Spec) Row {
	ops := []Spec{out(FieldVDST, ClassVGPR, d), in(FieldSRC1, ClassVGPR, F32), in(FieldATTR, ClassAttr, F16)}
	return row(VOP3A, op, name, append(ops, src...)...).fl(FlagClamp | FlagHigh).r(M0).never(whyInterp)
}

// VINTRP: attributes at a pixel.
func rowsVINTRP() []Row {
	return []Row{
		interpolate(0, "v_interp_p1_f32", ClassVGPR, F32).does("D = P0 + P10 * S0 of the attribute in LDS"),
		interpolate(1, "v_interp_p2_f32", ClassVGPR, F32).fl(FlagTied).does("D = D + P20 * S0 of the attribute in LDS"),
		interpolate(2, "v_interp_mov_f32", ClassParam, B32).does("D = P0, P10 or P20 of the attribute in LDS"),
		interp16(0x274, "v_interp_p1ll_f16", F32).fl(FlagOMod).does("D = P0 + P10 * S0, of half floats that both are in LDS"),
		interp16(0x275, "v_interp_p1lv_f16", F32, in(FieldSRC2, ClassVGPR, F16)).fl(FlagOMod).does("D = P0 + P10 * S0, of half floats: P10 is in LDS, P0 in S1"),
		interp16(0x276, "v_interp_p2_f16", F16, in(FieldSRC2, ClassVGPR, F32)).does("D = S1 + P20 * S0, of half floats that are in LDS"),
	}
}

// imageOps returns the operands of an image instruction without sampler. The image determines the
// number of address VGPRs; the text may have one to four.
func imageOps(d Spec) []Spec {
	return []Spec{d, in(FieldVADDR, ClassVGPR, U32), in(FieldSRSRC, ClassSReg, B256)}
}

func (r Row) addr(most uint8) Row { r.MaxAddr = most; return r }

func imageLoad(op uint16, name string) Row {
	return row(MIMG, op, name, imageOps(out(FieldVDATA, ClassVGPR, B32))...).fl(FlagLoad).addr(4).never(whyImage)
}

func imageStore(op uint16, name string) Row {
	return row(MIMG, op, name, imageOps(in(FieldVDATA, ClassVGPR, B32))...).fl(FlagStore).addr(4).never(whyImage)
}

// imageAtomic makes an image atomic. vdata is written too if glc is set.
func imageAtomic(op uint16, name string, t Type) Row {
	return row(MIMG, op, name, imageOps(in(FieldVDATA, ClassVGPR, t))...).fl(FlagAtomic | FlagLoad | FlagStore).addr(4).never(whyImage)
}

// imageSample makes an instruction with a sampler. Its address has at least the VGPRs of the type,
// if the image has one dimension and coordinates share a dword, and at most the number most.
func imageSample(op uint16, name string, least Type, most uint8) Row {
	return row(MIMG, op, name, out(FieldVDATA, ClassVGPR, B32), in(FieldVADDR, ClassVGPR, least), in(FieldSRSRC, ClassSReg, B256), in(FieldSSAMP, ClassSReg, B128)).
		fl(FlagLoad).addr(most).never(whyImage)
}

// MIMG: images.
func rowsMIMG() []Row {
	return []Row{
		imageLoad(0, "image_load").fl(FlagD16).does("D = the texel at ADDR, converted from the image's format"),
		imageLoad(1, "image_load_mip").fl(FlagD16).does("D = the texel at ADDR, whose last dword is the mip level, converted from the image's format"),
		imageLoad(2, "image_load_pck").does("D = the bits of the texel at ADDR"),
		imageLoad(3, "image_load_pck_sgn").does("D = the bits of the texel at ADDR, sign-extended"),
		imageLoad(4, "image_load_mip_pck").does("D = the bits of the texel at ADDR, whose last dword is the mip level"),
		imageLoad(5, "image_load_mip_pck_sgn").does("D = the bits of the texel at ADDR, whose last dword is the mip level, sign-extended"),
		imageStore(8, "image_store").fl(FlagD16).does("texel at ADDR = data, converted to the image's format"),
		imageStore(9, "image_store_mip").fl(FlagD16).does("texel at ADDR, whose last dword is the mip level = data, converted to the image's format"),
		imageStore(10, "image_store_pck").does("texel at ADDR = the bits of the data"),
		imageStore(11, "image_store_mip_pck").does("texel at ADDR, whose last dword is the mip level = the bits of the data"),
		imageLoad(14, "image_get_resinfo").does("D = width, height, depth and mip levels of the image; ADDR is the mip level"),
		imageAtomic(16, "image_atomic_swap", B32).does("MEM = DATA0; with glc, DATA0 = the old MEM"),
		imageAtomic(17, "image_atomic_cmpswap", B64).does("MEM = (MEM == DATA0[1]) ? DATA0[0] : MEM; with glc, DATA0 = the old MEM"),
		imageAtomic(18, "image_atomic_add", U32).does("MEM = MEM + DATA0; with glc, DATA0 = the old MEM"),
		imageAtomic(19, "image_atomic_sub", U32).does("MEM = MEM - DATA0; with glc, DATA0 = the old MEM"),
		imageAtomic(20, "image_atomic_smin", I32).does("MEM = min(MEM, DATA0), signed; with glc, DATA0 = the old MEM"),
		imageAtomic(21, "image_atomic_umin", U32).does("MEM = min(MEM, DATA0), unsigned; with glc, DATA0 = the old MEM"),
		imageAtomic(22, "image_atomic_smax", I32).does("MEM = max(MEM, DATA0), signed; with glc, DATA0 = the old MEM"),
		imageAtomic(23, "image_atomic_umax", U32).does("MEM = max(MEM, DATA0), unsigned; with glc, DATA0 = the old MEM"),
		imageAtomic(24, "image_atomic_and", B32).does("MEM = MEM & DATA0; with glc, DATA0 = the old MEM"),
		imageAtomic(25, "image_atomic_or", B32).does("MEM = MEM | DATA0; with glc, DATA0 = the old MEM"),
		imageAtomic(26, "image_atomic_xor", B32).does("MEM = MEM ^ DATA0; with glc, DATA0 = the old MEM"),
		imageAtomic(27, "image_atomic_inc", U32).does("MEM = (MEM >= DATA0) ? 0 : MEM + 1; with glc, DATA0 = the old MEM"),
		imageAtomic(28, "image_atomic_dec", U32).does("MEM = (MEM == 0 or MEM > DATA0) ? DATA0 : MEM - 1; with glc, DATA0 = the old MEM"),
		imageSample(32, "image_sample", U32, 3).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: coordinates"),
		imageSample(33, "image_sample_cl", U32, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: coordinates, a least level of detail"),
		imageSample(34, "image_sample_d", B64, 9).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: derivatives, coordinates"),
		imageSample(35, "image_sample_d_cl", B64, 10).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: derivatives, coordinates, a least level of detail"),
		imageSample(36, "image_sample_l", U32, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: coordinates, a level of detail"),
		imageSample(37, "image_sample_b", B64, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a bias, coordinates"),
		imageSample(38, "image_sample_b_cl", B64, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a bias, coordinates, a least level of detail"),
		imageSample(39, "image_sample_lz", U32, 3).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: coordinates"),
		imageSample(40, "image_sample_c", B64, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, coordinates"),
		imageSample(41, "image_sample_c_cl", B64, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, coordinates, a least level of detail"),
		imageSample(42, "image_sample_c_d", B96, 10).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, derivatives, coordinates"),
		imageSample(43, "image_sample_c_d_cl", B96, 11).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, derivatives, coordinates, a least level of detail"),
		imageSample(44, "image_sample_c_l", B64, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, coordinates, a level of detail"),
		imageSample(45, "image_sample_c_b", B96, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a bias, a reference depth, coordinates"),
		imageSample(46, "image_sample_c_b_cl", B96, 6).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a bias, a reference depth, coordinates, a least level of detail"),
		imageSample(47, "image_sample_c_lz", B64, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, coordinates"),
		imageSample(48, "image_sample_o", B64, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, coordinates"),
		imageSample(49, "image_sample_cl_o", B64, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, coordinates, a least level of detail"),
		imageSample(50, "image_sample_d_o", B96, 10).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, derivatives, coordinates"),
		imageSample(51, "image_sample_d_cl_o", B96, 11).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, derivatives, coordinates, a least level of detail"),
		imageSample(52, "image_sample_l_o", B64, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, coordinates, a level of detail"),
		imageSample(53, "image_sample_b_o", B96, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a bias, coordinates"),
		imageSample(54, "image_sample_b_cl_o", B96, 6).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a bias, coordinates, a least level of detail"),
		imageSample(55, "image_sample_lz_o", B64, 4).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, coordinates"),
		imageSample(56, "image_sample_c_o", B96, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, coordinates"),
		imageSample(57, "image_sample_c_cl_o", B96, 6).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, coordinates, a least level of detail"),
		imageSample(58, "image_sample_c_d_o", B128, 11).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, derivatives, coordinates"),
		imageSample(59, "image_sample_c_d_cl_o", B128, 12).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, derivatives, coordinates, a least level of detail"),
		imageSample(60, "image_sample_c_l_o", B96, 6).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, coordinates, a level of detail"),
		imageSample(61, "image_sample_c_b_o", B128, 6).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a bias, a reference depth, coordinates"),
		imageSample(62, "image_sample_c_b_cl_o", B128, 7).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a bias, a reference depth, coordinates, a least level of detail"),
		imageSample(63, "image_sample_c_lz_o", B96, 5).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, coordinates"),
		imageSample(64, "image_gather4", U32, 3).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: coordinates"),
		imageSample(65, "image_gather4_cl", U32, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: coordinates, a least level of detail"),
		imageSample(68, "image_gather4_l", U32, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: coordinates, a level of detail"),
		imageSample(69, "image_gather4_b", B64, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a bias, coordinates"),
		imageSample(70, "image_gather4_b_cl", B64, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a bias, coordinates, a least level of detail"),
		imageSample(71, "image_gather4_lz", U32, 3).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: coordinates"),
		imageSample(72, "image_gather4_c", B64, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a reference depth, coordinates"),
		imageSample(73, "image_gather4_c_cl", B64, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a reference depth, coordinates, a least level of detail"),
		imageSample(76, "image_gather4_c_l", B64, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a reference depth, coordinates, a level of detail"),
		imageSample(77, "image_gather4_c_b", B96, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a bias, a reference depth, coordinates"),
		imageSample(78, "image_gather4_c_b_cl", B96, 6).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a bias, a reference depth, coordinates, a least level of detail"),
		imageSample(79, "image_gather4_c_lz", B64, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: a reference depth, coordinates"),
		imageSample(80, "image_gather4_o", B64, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, coordinates"),
		imageSample(81, "image_gather4_cl_o", B64, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, coordinates, a least level of detail"),
		imageSample(84, "image_gather4_l_o", B64, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, coordinates, a level of detail"),
		imageSample(85, "image_gather4_b_o", B96, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a bias, coordinates"),
		imageSample(86, "image_gather4_b_cl_o", B96, 6).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a bias, coordinates, a least level of detail"),
		imageSample(87, "image_gather4_lz_o", B64, 4).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, coordinates"),
		imageSample(88, "image_gather4_c_o", B96, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a reference depth, coordinates"),
		imageSample(89, "image_gather4_c_cl_o", B96, 6).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a reference depth, coordinates, a least level of detail"),
		imageSample(92, "image_gather4_c_l_o", B96, 6).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a reference depth, coordinates, a level of detail"),
		imageSample(93, "image_gather4_c_b_o", B128, 6).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a bias, a reference depth, coordinates"),
		imageSample(94, "image_gather4_c_b_cl_o", B128, 7).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a bias, a reference depth, coordinates, a least level of detail"),
		imageSample(95, "image_gather4_c_lz_o", B96, 5).fl(FlagGather | FlagD16).does("D = one component of the four texels around ADDR; ADDR: an offset, a reference depth, coordinates"),
		imageSample(96, "image_get_lod", U32, 3).does("D = the level of detail that a sample at ADDR would use, clamped and raw; ADDR: coordinates"),
		imageSample(104, "image_sample_cd", B64, 9).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: derivatives, coordinates"),
		imageSample(105, "image_sample_cd_cl", B64, 10).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: derivatives, coordinates, a least level of detail"),
		imageSample(106, "image_sample_c_cd", B96, 10).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, derivatives, coordinates"),
		imageSample(107, "image_sample_c_cd_cl", B96, 11).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: a reference depth, derivatives, coordinates, a least level of detail"),
		imageSample(108, "image_sample_cd_o", B96, 10).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, derivatives, coordinates"),
		imageSample(109, "image_sample_cd_cl_o", B96, 11).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, derivatives, coordinates, a least level of detail"),
		imageSample(110, "image_sample_c_cd_o", B128, 11).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, derivatives, coordinates"),
		imageSample(111, "image_sample_c_cd_cl_o", B128, 12).fl(FlagD16).does("D = the image, filtered at ADDR; ADDR: an offset, a reference depth, derivatives, coordinates, a least level of detail"),
	}
}

// EXP: the results of shaders.
func rowsEXP() []Row {
	return []Row{
		row(FormatEXP, 0, "exp", in(FieldTGT, ClassTarget, B8), in(FieldEXP0, ClassExport, B32), in(FieldEXP1, ClassExport, B32), in(FieldEXP2, ClassExport, B32), in(FieldEXP3, ClassExport, B32)).
			does("the target of each lane = the data that are not off").never(whyExport),
	}
}
