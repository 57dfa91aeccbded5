#include "textflag.h"

TEXT launchActivateSocketTrampoline<>(SB),NOSPLIT,$0-0
	JMP	libc_launch_activate_socket(SB)

GLOBL	·launchActivateSocketTrampolineAddr(SB), RODATA, $8
DATA	·launchActivateSocketTrampolineAddr(SB)/8, $launchActivateSocketTrampoline<>(SB)
