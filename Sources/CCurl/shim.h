#include <curl/curl.h>

/* ---- For PCMCurl: how requests are sent ---------------------------------------------------------------------- */

#include <fcntl.h>
#include <sys/socket.h>

/* curl_easy_setopt is variadic and Swift cannot call it: one wrapper for each type of argument. */

static inline CURLcode pcm_easy_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

/* curl_off_t is wider than long on some platforms: the options that end in _LARGE read that many bytes. */
static inline CURLcode pcm_easy_set_large(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

/* Text that libcurl copies. NULL takes the option back. */
static inline CURLcode pcm_easy_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

/* What libcurl keeps a pointer to: buffers, callback contexts, and URL handles. */
static inline CURLcode pcm_easy_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

/* A parsed URL is a pointer to an incomplete type, which Swift does not convert to void *. */
static inline CURLcode pcm_easy_set_parsed_url(CURL *handle, CURLU *url) {
  return curl_easy_setopt(handle, CURLOPT_CURLU, url);
}

/* Lists that libcurl keeps a pointer to. */
static inline CURLcode pcm_easy_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(handle, option, list);
}

/* Callbacks: a function pointer of each type, so that Swift checks the signature. */
static inline CURLcode pcm_easy_set_write_function(CURL *handle, curl_write_callback function) {
  return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
}

static inline CURLcode pcm_easy_set_header_function(CURL *handle, curl_write_callback function) {
  return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
}

static inline CURLcode pcm_easy_set_open_socket_function(CURL *handle, curl_opensocket_callback function) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

/* The context that the callback receives is libcurl's for one connection. */
static inline CURLcode pcm_easy_set_tls_function(CURL *handle, curl_ssl_ctx_callback function) {
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, function);
}

static inline CURLcode pcm_easy_set_before_request_function(CURL *handle, curl_prereq_callback function) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

/* curl_easy_getinfo is variadic too: one wrapper for each type of result. */

static inline CURLcode pcm_easy_info_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode pcm_easy_info_large(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode pcm_easy_info_text(CURL *handle, CURLINFO info, const char **value) {
  return curl_easy_getinfo(handle, info, value);
}

/* The list is the caller's, to be freed with curl_slist_free_all. */
static inline CURLcode pcm_easy_info_list(CURL *handle, CURLINFO info, struct curl_slist **list) {
  return curl_easy_getinfo(handle, info, list);
}

/* The chain that the server showed. It is libcurl's, and lasts as long as the transfer's handle is left alone. */
static inline CURLcode pcm_easy_info_certificates(CURL *handle, const struct curl_certinfo **value) {
  return curl_easy_getinfo(handle, CURLINFO_CERTINFO, value);
}

/* The TLS library's object for the transfer's connection. NULL without TLS or a connection. */
static inline void *pcm_easy_tls_object(CURL *handle) {
  struct curl_tlssessioninfo *session = NULL;
  if(curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->internals;
}

/* The first header of this name in the last answer, interim ones left out; NULL when there is none. The text is
   libcurl's and lasts as long as the transfer's handle is left alone. Here because the kinds of header are macros. */
static inline const char *pcm_easy_answer_header(CURL *handle, const char *name) {
  struct curl_header *header = NULL;
  return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : NULL;
}

/* The header of the last answer after this one; NULL after the last. The first one follows NULL. Here because the kinds of
   header are macros. */
static inline struct curl_header *pcm_easy_next_answer_header(CURL *handle, struct curl_header *previous) {
  return curl_easy_nextheader(handle, CURLH_HEADER, -1, previous);
}

/* Variadic as well. */
static inline CURLMcode pcm_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/* A member of a union, which Swift would read through a tuple. */
static inline CURLcode pcm_message_result(const CURLMsg *message) { return message->data.result; }

/* Swift would copy the 16 bytes of a struct sockaddr, and with them half of an IPv6 address. */
static inline const struct sockaddr *pcm_socket_address(const struct curl_sockaddr *address) { return &address->addr; }

/* SOCK_CLOEXEC is an enumerator in one C library, a macro in the next and absent on Darwin. The flag keeps sockets out
   of child processes. */
static inline curl_socket_t pcm_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
  if(descriptor >= 0) (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}

/* ---- End of PCMCurl's section -------------------------------------------------------------------------------- */
