#include "page_assets.h"

static const char page_style[] = {
#embed "files/palette.css" suffix(,)
#embed "files/page.css" suffix(, 0)
};

static const char page_script[] = {
#embed "files/token.js" suffix(,)
#embed "files/trace.js" suffix(,)
#embed "files/page.js" suffix(,)
#embed "files/timeline.js" suffix(,)
#embed "files/try.js" suffix(,)
#embed "files/code.js" suffix(,)
#embed "files/story.js" suffix(, 0)
};

static const char receiver_script[] = {
#embed "files/receive.js" suffix(, 0)
};

static const char rules_script[] = {
#embed "files/rules.js" suffix(, 0)
};

static const char documentation_style[] = {
#embed "files/palette.css" suffix(,)
#embed "files/docs.css" suffix(, 0)
};

static const char documentation_script[] = {
#embed "files/token.js" suffix(,)
#embed "files/docs.js" suffix(, 0)
};

static const char report_style[] = {
#embed "files/palette.css" suffix(,)
#embed "files/page.css" suffix(,)
#embed "files/report.css" suffix(, 0)
};

static const char article_page[] = {
#embed "files/sites/article.html" suffix(, 0)
};

static const char product_page[] = {
#embed "files/sites/product.html" suffix(, 0)
};

static const char thanks_page[] = {
#embed "files/sites/thanks.html" suffix(, 0)
};

const char *pcm_page_style(void) { return page_style; }
const char *pcm_page_script(void) { return page_script; }
const char *pcm_receiver_script(void) { return receiver_script; }
const char *pcm_rules_script(void) { return rules_script; }
const char *pcm_documentation_style(void) { return documentation_style; }
const char *pcm_documentation_script(void) { return documentation_script; }
const char *pcm_report_style(void) { return report_style; }
const char *pcm_article_page(void) { return article_page; }
const char *pcm_product_page(void) { return product_page; }
const char *pcm_thanks_page(void) { return thanks_page; }
