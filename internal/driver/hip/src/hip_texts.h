/* Functions that return no hipError_t and need no device. */

HIP_TEXT(hipApiName)(uint32_t id) { (void)id; return "unknown"; }
HIP_TEXT(hipGetCmdName)(uint32_t id) { (void)id; return "unknown"; }
HIP_TEXT(amd_dbgapi_get_build_name)(void) { return "Crosslane"; }
HIP_TEXT(amd_dbgapi_get_git_hash)(void) { return ""; }
HIP(amd_dbgapi_get_build_id)(void) { return 0; }

/* __hipGetPCH is for compilers while a program runs: there is no header. */
__attribute__((visibility("default"))) void __hipGetPCH(const char **out, uint32_t *size) { *out = NULL, *size = 0; }

struct channel { int x, y, z, w, kind; }; /* hipChannelFormatDesc */

__attribute__((visibility("default"))) struct channel hipCreateChannelDesc(int x, int y, int z, int w, int kind) { return (struct channel){ x, y, z, w, kind }; }

/* Compilers call these for numbers of 16 bits. */
__attribute__((weak, visibility("default"))) float __gnu_h2f_ieee(uint16_t h)
{
	uint32_t sign = (uint32_t)(h >> 15) << 31, exponent = h >> 10 & 31, fraction = h & 1023, bits;
	float f;
	if (exponent == 0) { /* zero, or a subnormal: its unit is 2 to the power of -24 */
		f = (float)fraction * (1.0f / 16777216);
		memcpy(&bits, &f, 4);
		bits |= sign;
	} else {
		bits = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
	}
	memcpy(&f, &bits, 4);
	return f;
}

__attribute__((weak, visibility("default"))) uint16_t __gnu_f2h_ieee(float f)
{
	uint32_t bits, sign, rest, keep, shift;
	int exponent;
	memcpy(&bits, &f, 4);
	sign = bits >> 16 & 0x8000, exponent = (int)(bits >> 23 & 255) - 112, rest = bits & 0x7fffff;
	if (exponent == 255 - 112)
		return (uint16_t)(sign | 0x7c00 | (rest ? 0x200 | rest >> 13 : 0));
	if (exponent >= 31)
		return (uint16_t)(sign | 0x7c00);
	if (exponent < -10)
		return (uint16_t)sign;
	shift = 13;
	if (exponent <= 0)
		rest |= 0x800000, shift = (uint32_t)(14 - exponent), exponent = 0;
	keep = rest >> shift, rest &= (1u << shift) - 1;
	keep += (uint32_t)exponent << 10;
	if (rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && keep & 1)) /* to the nearest, ties to even */
		keep++;
	return (uint16_t)(sign | keep);
}
