#pragma once

#include <stdbool.h>
#include <sys/types.h>

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

/* Starts a program in a new process group, beside this process. The program is found as a shell finds it. Its standard input is
   empty, and both of its outputs go to the descriptor `output`.

   Its descriptor 3 is `lifeline`, the reading end of a pipe, and its descriptor 4 is /dev/null. A browser with the option
   --remote-debugging-pipe uses these two, and ends when the writing end of the pipe is closed, as it is when this process is
   killed.

   Returns the number of the process and its group, or -1 with the system's error in *error. */
pid_t pcm_group_start(char *const arguments[], char *const environment[], int output, int lifeline, int *error);

/* Returns whether a process that pcm_group_start started has ended. The number of the process stays taken until pcm_group_end. */
bool pcm_group_has_ended(pid_t group);

/* Kills what is left of a group. */
void pcm_group_end(pid_t group);
