// Initialised data of every shape, for TestOracleData. Its values stand in the test.
typedef int (*function)(int);
static int add_one(int x) { return x + 1; }
static int twice(int x) { return x * 2; }
struct mixed {
	char c;
	int *p;
	short s[3];
	float f;
	double d;
	function g;
};
int numbers[4] = {1, 2, 3, 4};
struct mixed one = {'a', &numbers[2], {1, 2, -3}, 1.5f, -2.5, add_one};
struct mixed two[2] = {{'x', numbers, {9}, 0.f, 1.0, twice}, {'y'}};
function table[2] = {add_one, twice};
int matrix[2][3] = {{1, 2}, {3}};
const char *message = "hello\n\"q\" \\ \001";
_Bool yes = 1;
unsigned long long big = 0xfedcba9876543210ull;
__int128 wide = (__int128)1 << 100;
float floats[3] = {__builtin_inff(), -0.0f, 0.1f};
double doubles[2] = {0.1, -1e300};
int *volatile pointer = &numbers[1];
_Float16 half = 1.5;
typedef float vector __attribute__((vector_size(16)));
vector quad = {1, 2, 3, 4};
struct tight {
	char a;
	int *q;
} __attribute__((packed)) packed = {1, &numbers[3]};
union {
	int i;
	float f;
} both = {.f = 2.0f};
__attribute__((weak)) int weak_one = 3;
extern int elsewhere;

__attribute__((noinline)) static int use(int i, function q)
{
	return q(i) + one.p[0] + two[i].s[0] + matrix[i][1] + message[i] + packed.q[0] + (int)quad[i] + weak_one +
	       elsewhere + (int)half + *pointer;
}

__attribute__((nvptx_kernel)) void k(int *out, int i) { *out = use(i, table[i]); }
