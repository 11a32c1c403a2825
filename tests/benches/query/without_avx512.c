/* Answers the instruction cpuid for programs in which without_avx512.py has replaced it: as this machine does, but for AVX-512.
 *   cc -O1 -shared -fPIC -o without_avx512.so without_avx512.c;  LD_PRELOAD=./without_avx512.so PROGRAM */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define EXTENSIONS 7
/* F, DQ, IFMA, PF, ER, CD, BW, VL */
#define IN_EBX (1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31)
/* VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ */
#define IN_ECX (1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14)
/* 4VNNIW, 4FMAPS, VP2INTERSECT, FP16, and AMX */
#define IN_EDX (1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25)
/* VNNI of AVX, BF16 */
#define IN_EAX_OF_1 (1u << 4 | 1u << 5)

static void answer(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    unsigned char *at = (unsigned char *)registers[REG_RIP];
    if (at[0] != 0x06 || at[1] != 0x90) { /* an illegal instruction of its own */
        signal(SIGILL, SIG_DFL);
        return;
    }
    unsigned leaf = (unsigned)registers[REG_RAX], part = (unsigned)registers[REG_RCX];
    unsigned eax, ebx, ecx, edx;
    __cpuid_count(leaf, part, eax, ebx, ecx, edx);
    if (leaf == EXTENSIONS && part == 0) {
        ebx &= ~IN_EBX;
        ecx &= ~IN_ECX;
        edx &= ~IN_EDX;
    }
    if (leaf == EXTENSIONS && part == 1)
        eax &= ~IN_EAX_OF_1;
    registers[REG_RAX] = eax;
    registers[REG_RBX] = ebx;
    registers[REG_RCX] = ecx;
    registers[REG_RDX] = edx;
    registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void begin(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGILL, &action, 0);
}
