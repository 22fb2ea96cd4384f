/* A library with the one function of it that Rust programs need. Wine has its own from version 9 on. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T number)
{
    return SystemFunction036(bytes, (ULONG)number);
}
