#pragma once

/* Holds SIGHUP, SIGINT, SIGQUIT, and SIGTERM for the program that pcm_command_run starts, except those that this process was
   started to ignore. Call it before a library changes how signals are handled. */
void pcm_command_hold_signals(void);

/* Runs a program, which is found as a shell finds it, and returns when it has ended.

   The program is in the process group of this process and has its standard streams, so it can read the terminal. It receives
   the terminal's signals from the terminal, and others from this process. It handles signals as if it had replaced this
   process. On Linux, it receives SIGTERM when the calling thread ends, and therefore when this process is killed.

   Returns the status that a shell would return, which is 128 + n for a program that signal n ended, or -1 with the system's
   error in *error for a program that cannot be started. */
int pcm_command_run(char *const arguments[], char *const environment[], int *error);
