/** Field of a form or an address that names the page to go on with. */
export const BACK = 'back'

/** Page on which a crawl is requested; below it is the progress of each. */
export const CRAWL_PATH = '/dashboard/crawl'

/** Page on which people see what they watch, and begin to watch something. */
export const WATCHES_PATH = '/dashboard/watches'

const VALUE = '[\\w.~%+*-]{1,2000}'
/** Pages of the dashboard that a sign-in or a form may lead back to. */
const pages: readonly RegExp[] = [
  /^\/dashboard\/join\?token=[\w-]{43}$/,
  /^\/dashboard\/(?:access|passkeys|publish|reviews|usage)$/,
  /^\/dashboard\/crawl\/[\da-f-]{36}$/,
  new RegExp(`^/dashboard/(?:agents|crawl|verify)(?:\\?(?:domain|url)=${VALUE})?$`),
  new RegExp(`^${WATCHES_PATH}(?:\\?(?:domain|brand|agent)=${VALUE})?$`),
  new RegExp(`^/dashboard/org/[\\w-]{1,64}/[a-z]{1,20}(?:\\?domain=${VALUE})?$`),
]

/** Parses the path of a page to go back to; undefined for every other address. */
export function parseWayBack(path: unknown): string | undefined {
  return typeof path === 'string' && pages.some(page => page.test(path)) ? path : undefined
}
