#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "passes/source/asm_statements.h"
#include "passes/source/instructions.h"
#include "passes/source/kernel_pointers.h"
#include "passes/source/late_alignas.h"
#include "passes/source/translate.h"

namespace warpscope::ptx {
namespace {

std::string translated(const std::string& text) {
  const auto statement = find_asm(text, 0);
  if (!statement) return "none";
  const Translation result = translate(*statement, 7);
  return result.declaration + result.before + result.body + result.after;
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AsmStatements, FindsOperandsByTheirSyntax) {
  const std::string text =
      "int f(); asm volatile (\"add.u32 %[sum], \" \"%1, 2;\\n\" : [sum] \"=r\"(a[g(1, \")\")]) : \"r\"(b ? "
      "c : d) : \"memory\", \"cc\"); x";
  const auto statement = find_asm(text, 0);
  ASSERT_TRUE(statement);
  EXPECT_EQ(text.substr(statement->begin, 4), "asm ");
  EXPECT_EQ(text.substr(statement->end), "; x");
  EXPECT_EQ(statement->text, "add.u32 %[sum], %1, 2;\n");
  ASSERT_EQ(statement->outputs.size(), 1u);
  EXPECT_EQ(statement->outputs[0].name, "sum");
  EXPECT_EQ(statement->outputs[0].constraint, "=r");
  EXPECT_EQ(statement->outputs[0].expression, "a[g(1, \")\")]");
  ASSERT_EQ(statement->inputs.size(), 1u);
  EXPECT_EQ(statement->inputs[0].expression, "b ? c : d");
}

TEST(AsmStatements, NamesOfSymbolsAndOtherWordsAreNone) {
  for (const char* text :
       {"extern int f(int) __asm__(\"g\");",
        "extern int f(int) __asm__(\"\" \"__isoc99_scanf\") __attribute__((nothrow));",
        "const char *s = \"asm(\\\"mov.u32 %0, 1;\\\" : : )\";", "auto s = R\"x(asm volatile(\"trap;\"))x\";",
        "int asm_ = 1, plasm(2);", "asm goto (\"bra %l0;\" : : : : there);", "asm volatile(",
        "asm volatile(\"trap;\" : \"=r\"(a", "asm", "asm(\"a"})
    EXPECT_FALSE(find_asm(text, 0)) << text;
}

TEST(AsmStatements, LabelsAreReadWithTheirEscapes) {
  for (const char* label : {"our_f", "__our_f", "__o\" \"ur_\" \"f", "__\\x6fur_f", "\\157ur_"})
    EXPECT_TRUE(names_symbol(std::string("void f() asm (\"") + label + "\");", "our_", "__our_not_"))
        << label;
  for (const char* text :
       {"void f() asm(\"other\");", "void f() asm(\"__our_not_this\");", "asm(\"mov our_x, 1;\\n\");",
        "asm volatile(\"bar.sync 0;\\n\"); our_f();", "puts(\"asm(our_f)\");"})
    EXPECT_FALSE(names_symbol(text, "our_", "__our_not_")) << text;
}

TEST(AsmStatements, RawTextAndColonsWithoutOperands) {
  const auto statement = find_asm("__asm__ __volatile__(R\"(membar.gl;)\" ::: \"memory\");", 0);
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->text, "membar.gl;");
  EXPECT_TRUE(statement->has_operands);
  EXPECT_TRUE(statement->outputs.empty());
  EXPECT_TRUE(statement->inputs.empty());
}

TEST(Instructions, ReadsGuardsScopesAndVectors) {
  AsmStatement statement;
  statement.text =
      "{ .reg .pred p, q; // a comment; with a semicolon\n @!p ld.global.v2.u32 {%0, %1}, [%2+8]; /* ; */ }";
  statement.has_operands = true;
  statement.outputs.resize(2);
  statement.inputs.resize(1);
  std::string problem;
  const auto all = read_instructions(statement, problem);
  ASSERT_TRUE(all) << problem;
  ASSERT_EQ(all->size(), 4u);
  EXPECT_EQ((*all)[1].kind, Instruction::Kind::Registers);
  EXPECT_EQ((*all)[1].operands, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ((*all)[2].guard, "!p");
  EXPECT_EQ((*all)[2].mnemonic(), "ld.global.v2.u32");
  EXPECT_EQ((*all)[2].operands, (std::vector<std::string>{"{__w0, __w1}", "[__w2+8]"}));
}

TEST(Translate, OneInstruction) {
  EXPECT_EQ(translated("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));"),
            "do { auto &__w0 = (lane); (void)__w0; warpscope_ptx::mov<unsigned int>(__w0, "
            "warpscope_ptx::laneid()); } while (0)");
}

TEST(Translate, WithoutOperandsAPercentSignIsOne) {
  EXPECT_TRUE(contains(translated("asm volatile(\"{ .reg .u32 %t; mov.u32 %t, %clock; }\");"),
                       "warpscope_ptx::clock()"));
}

TEST(Translate, ARegisterMayHaveOnePercentSignBesideOperands) {
  EXPECT_TRUE(contains(translated("asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t)::);"),
                       "warpscope_ptx::globaltimer()"));
}

TEST(Translate, ACompilersBarrierIsNothing) {
  EXPECT_EQ(translated("asm volatile(\"\" ::: \"memory\");"), "do { } while (0)");
}

// What is not known names itself; nothing of it becomes code.
TEST(Translate, NamesWhatIsNotKnown) {
  for (const auto& [text, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"},
           {"add.rz.f32 %0, %1, %1;", "add.rz.f32"},
           {"add.u32 %0, %1;", "add.u32"},
           {"add.u32 %0, %1, %9;", "operand that is not there"},
           {"add.u32 %0, %1, other;", "add.u32 with operand other"},
           {"AGAIN: bra AGAIN;", "label AGAIN"},
           {"bra AGAIN;", "bra"},
           {".shared .u32 s;", "directive .shared"},
           {"{ mov.u32 %0, %1;", "brace"},
           {"mov.u32 %0, %1; }", "brace"},
           {"bar.sync 1, 64;", "bar.sync"},
           {"setp.f32 %0, %1, %1;", "setp.f32"},
           {"cvt.rz.f32.f64 %0, %1;", "cvt.rz.f32.f64"},
           {"ld.param.u32 %0, [p];", "ld.param.u32"},
           {"brkpt;", "brkpt"}}) {
    const std::string result =
        translated("asm volatile(\"" + std::string(text) + "\" : \"=r\"(a) : \"r\"(b));");
    EXPECT_TRUE(contains(result, "__warpscope_cannot_inline PTX: ") && contains(result, what))
        << text << " -> " << result;
    EXPECT_TRUE(contains(result, "__warpscope_ptx_unknown_7")) << result;
    EXPECT_FALSE(contains(result, "warpscope_ptx::")) << result;
  }
}

// The access and what follows the statement are where they were.
TEST(WithoutInlinePtx, KeepsLinesAndColumns) {
  const std::string text =
      "# 1 \"k.cu\"\nvoid f() {\n  g(); asm volatile(\"trap;\"\n    ::\n    : \"memory\"); g();\n}\n";
  EXPECT_EQ(without_inline_ptx(text),
            "\n# 1 \"k.cu\"\nvoid f() {\n  g(); do { \n# 2 \"k.cu\"\n       warpscope_ptx::trap(); } while "
            "(0)\n# 4 \"k.cu\"\n"
            "               ; g();\n}\n");
  EXPECT_EQ(without_inline_ptx("int main() {}\n"), "");
}

TEST(WithLateAlignas, ChangesOnlyWhatStandsBehindShared) {
  EXPECT_EQ(with_late_alignas("struct alignas(8) S {};\nextern __attribute__((shared)) alignas(16) int a[];\n"
                              "__attribute__((shared))\n  alignas(S) S b;\n"),
            "struct alignas(8) S {};\nextern __attribute__((shared))_Alignas(16) int a[];\n"
            "__attribute__((shared))\n _Alignas(S) S b;\n");
  EXPECT_EQ(with_late_alignas("alignas(8) __attribute__((shared)) int alignas_of;\n"), "");
}

TEST(InlinePtx, JoinsTheMarksOfALaunch) {
  EXPECT_EQ(with_whole_launches("k << <g, b>> >(x);"), "k  <<<g, b>>> (x);");
  EXPECT_EQ(with_whole_launches("k<int> << < g, f(b) >>> (x);"), "k<int>  <<< g, f(b) >>> (x);");
  // Operators and templates' ends keep theirs.
  EXPECT_EQ(with_whole_launches("out& operator<< <T>(out&, A<B<T>> >);"), "");
  EXPECT_EQ(with_whole_launches("a << b; A<B<C<int>> > c; s << \"<\" >> d;"), "");
  EXPECT_EQ(with_whole_launches("print(\"k << <g>> >(x)\");"), "");
}

// By hand: the marker says that the next line is number 12; one more line break follows it in the statement. 1 and 2
// are about including, 3 says that it is a system's header.
TEST(WithoutInlinePtx, CountsFromALineMarkerInsideAStatement) {
  const std::string result =
      without_inline_ptx("asm volatile(\"trap;\"\n# 12 \"k.h\" 2 3\n::\n: \"memory\"); here();\n");
  EXPECT_TRUE(contains(result, "\n# 13 \"k.h\" 3\n           ; here();\n")) << result;
}

// The attribute moves behind the parameters; a use stands for an explicit instantiation.
TEST(WithPlainKernelTypes, MovesTheAttribute) {
  const std::string global = "__attribute__((global))";
  for (const auto& [text, expected] : std::initializer_list<std::pair<std::string, std::string>>{
           {global + " void k(int *a) { }", " void k(int *a) " + global + " { }"},
           {"static " + global + " void __attribute__((launch_bounds(64, (2)))) k();",
            "static  void __attribute__((launch_bounds(64, (2)))) k() " + global + ";"},
           {"template <class T, int N = (3)> " + global + " void n::k<T>(T (&a)[N]) noexcept(true) {",
            "template <class T, int N = (3)>  void n::k<T>(T (&a)[N]) noexcept(true) " + global + " {"},
           {"; template " + global + " void n::k<int, 4>(int *);",
            "; static void (*const __warpscope_use_0)(int *) = n::k<int, 4>;"},
           {"# 3 \"f\" 2\ntemplate " + global + " void k(float *);",
            "# 3 \"f\" 2\nstatic void (*const __warpscope_use_0)(float *) = k;"},
           {global + " int x; int y(3);", global + " int x; int y(3);"},
           {global + " void k(", global + " void k("}})
    EXPECT_EQ(with_plain_kernel_types(text), expected);
}

TEST(WithoutInlinePtx, EndsOnAnyText) {
  std::mt19937 random(3);
  const char* const parts[] = {"asm",
                               " volatile(",
                               "(",
                               ")",
                               "\"",
                               "R\"(",
                               ")\"",
                               ":",
                               ",",
                               "{",
                               "}",
                               "%0",
                               "%",
                               "[",
                               "]",
                               "@p ",
                               ";",
                               "add.u32",
                               ".reg .u32 a<",
                               "\\",
                               "'",
                               "\n",
                               "# 1 \"x\"\n",
                               "\"=r\"(a)",
                               "\"mov.u32 %0, %1;\"",
                               "ld.global.u32",
                               "/*",
                               "//",
                               ".",
                               "|",
                               "!",
                               "-",
                               "0f3",
                               "9"};
  for (int round = 0; round < 20000; ++round) {
    std::string text = round % 2 ? "asm volatile(\"" : "";
    for (int i = 0; i < 14; ++i) text += parts[random() % std::size(parts)];
    if (round % 2) text += "\" : \"=r\"(a) : \"r\"(b));";
    const std::string result = without_inline_ptx(text);
    with_plain_kernel_types("__attribute__((global)) " + text);
    EXPECT_TRUE(result.empty() || result.size() < 400 * text.size() + 4000) << text;
  }
}

}  // namespace
}  // namespace warpscope::ptx
