/// The style sheets and scripts of the pages, made of the files in `files`. Functions, because Swift does not import
/// arrays of unknown length.
const char *pcm_page_style(void);
/// The script of the pages: it loads the parts, follows the log, and calls the API. It makes no markup from data: the
/// service escapes every part.
const char *pcm_page_script(void);
/// The script of the report endpoint's page, after the script of all pages.
const char *pcm_receiver_script(void);
/// The script of the page of the rules, which runs alone.
const char *pcm_rules_script(void);
const char *pcm_documentation_style(void);
const char *pcm_documentation_script(void);
/// The style sheet of the pages and of the reports.
const char *pcm_report_style(void);
/// The pages of the demo's sites.
const char *pcm_article_page(void);
const char *pcm_product_page(void);
const char *pcm_thanks_page(void);
