#define _GNU_SOURCE
#include "command_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

/* The signals that are passed on, and those that a library of this process may have changed for the program. */
static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
static const int changed[] = {SIGPIPE, SIGCHLD};
enum { passed_count = sizeof passed / sizeof *passed, changed_count = sizeof changed / sizeof *changed };
static struct sigaction passed_before[passed_count], changed_before[changed_count];

/* The program, 0 before its start, and -1 after its end. */
static volatile sig_atomic_t program = 0;
/* The latest signal that arrived before the start. */
static volatile sig_atomic_t held = 0;

/* A terminal sends its signals to all processes of the foreground, so the program has such a signal already. */
static int is_from_terminal(const siginfo_t *information) {
#ifdef SI_KERNEL
  return information->si_code == SI_KERNEL;
#else
  return information->si_pid == 0;
#endif
}

static void pass(int number, siginfo_t *information, void *context) {
  (void)context;
  int code = errno;
  if (program == 0) held = number;
  if (program > 0 && !is_from_terminal(information)) kill(program, number);
  errno = code;
}

void pcm_command_hold_signals(void) {
  struct sigaction action = {.sa_sigaction = pass, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < passed_count; i++) {
    sigaction(passed[i], NULL, &passed_before[i]);
    if (passed_before[i].sa_handler != SIG_IGN) sigaction(passed[i], &action, NULL);
  }
  for (int i = 0; i < changed_count; i++) sigaction(changed[i], NULL, &changed_before[i]);
  /* If it were ignored, the system would not keep the status of the program. */
  signal(SIGCHLD, SIG_DFL);
}

/* Runs in the new process, where only functions that are safe in a signal handler may be called. */
static void replace(pid_t parent, char *const arguments[], char *const environment[], int failure) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (getppid() != parent) _exit(128 + SIGTERM);
  for (int i = 0; i < passed_count; i++) sigaction(passed[i], &passed_before[i], NULL);
  for (int i = 0; i < changed_count; i++) sigaction(changed[i], &changed_before[i], NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  environ = (char **)environment;
  execvp(arguments[0], arguments);
  int code = errno;
  if (write(failure, &code, sizeof code) < 0) _exit(126);
  _exit(127);
}

int pcm_command_run(char *const arguments[], char *const environment[], int *error) {
  int failure[2];
  if (pipe(failure) < 0) return *error = errno, -1;
  fcntl(failure[0], F_SETFD, FD_CLOEXEC);
  fcntl(failure[1], F_SETFD, FD_CLOEXEC);
  pid_t parent = getpid();
  sigset_t all, before;
  sigfillset(&all);
  /* A signal that arrives until the program has its own handlers is delivered afterward. */
  pthread_sigmask(SIG_BLOCK, &all, &before);
  pid_t started = fork();
  if (started == 0) replace(parent, arguments, environment, failure[1]);
  int code = started < 0 ? errno : 0;
  if (started > 0) program = started;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(failure[1]);
  if (started > 0 && held) kill(started, held);
  if (started > 0 && read(failure[0], &code, sizeof code) <= 0) code = 0;
  close(failure[0]);
  int status = -1;
  if (started > 0) {
    /* The number of the process stays taken until waitpid, so no signal reaches another process that receives it. */
    siginfo_t end;
    while (waitid(P_PID, (id_t)started, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
    program = -1;
    while (waitpid(started, &status, 0) < 0 && errno == EINTR) continue;
  }
  program = -1;
  *error = code;
  if (code) return -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

pid_t pcm_group_start(char *const arguments[], char *const environment[], int output, int lifeline, int *error) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  /* Copies with high numbers, so that no descriptor is replaced before it is copied. */
  int high_output = fcntl(output, F_DUPFD_CLOEXEC, 10), high_lifeline = fcntl(lifeline, F_DUPFD_CLOEXEC, 10);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, high_output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, high_output, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&files, high_lifeline, 3);
  posix_spawn_file_actions_addopen(&files, 4, "/dev/null", O_WRONLY, 0);
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  for (int i = 0; i < passed_count; i++) sigaddset(&standard, passed[i]);
  for (int i = 0; i < changed_count; i++) sigaddset(&standard, changed[i]);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  pid_t started = -1;
  *error = posix_spawnp(&started, arguments[0], &files, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(high_output);
  close(high_lifeline);
  return *error ? -1 : started;
}

bool pcm_group_has_ended(pid_t group) {
  siginfo_t end = {0};
  /* An error means that this process was started to ignore its children's ends. */
  return waitid(P_PID, (id_t)group, &end, WEXITED | WNOHANG | WNOWAIT) < 0 || end.si_pid != 0;
}

void pcm_group_end(pid_t group) {
  kill(-group, SIGKILL);
  while (waitpid(group, NULL, 0) < 0 && errno == EINTR) continue;
}
