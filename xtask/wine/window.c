/* Makes a hidden window, prints a line, and runs until it is ended.

   The first program with a window starts Wine's desktop, which inherits its pipes and ends with the last
   window: a test that read the pipe of a service to its end waited for other tests. This one runs
   before them. */
#include <stdio.h>
#include <windows.h>

int main(void)
{
    MSG message;
    if (!CreateWindowA("Static", "", 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return 1;
    puts("made");
    fflush(stdout);
    while (GetMessageA(&message, 0, 0, 0) > 0)
        DispatchMessageA(&message);
    return 0;
}
