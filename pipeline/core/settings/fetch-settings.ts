import { defineSetting } from './define-setting.ts'
import { file } from './place-kinds.ts'
import { httpUrl, isNameServer, text } from './setting-kinds.ts'

/** Settings of how the web is reached, also by a program that has no others. */
export const fetchSettings = {
  CRAWL_CONNECT_TO: defineSetting(
    httpUrl.optional(),
    'URL that every outbound connection goes to instead (for test worlds). Names are still resolved and checked',
  ),
  CRAWL_CA_FILE: defineSetting(
    file.optional(),
    'PEM file of an extra certificate authority to trust',
  ),
  DNS_SERVER: defineSetting(
    text
      .refine(isNameServer, { error: 'must be ADDRESS:PORT such as 127.0.0.1:53 or [::1]:53' })
      .optional(),
    'ADDRESS:PORT of a name server to use instead of the system’s. ADDRESS must be an IP address',
  ),
  CRAWL_CONTACT: defineSetting(
    httpUrl.default('https://github.com/agentic-ad-registry/agentic-ad-registry'),
    'page about the crawler, named in its User-Agent',
    { shown: 'https://github.com/agentic-ad-registry/agentic-ad-registry' },
  ),
}
