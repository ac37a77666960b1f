import { z } from 'zod'
import { defineSetting } from './define-setting.ts'
import { file } from './place-kinds.ts'
import { cron, httpUrl, isNameServer, text, wholeNumber } from './setting-kinds.ts'

/** Settings of what is crawled, how often and how politely. */
export const crawlingSettings = {
  CRAWL_CONNECT_TO: defineSetting(
    httpUrl.optional(),
    'send every outbound connection to this address instead; names are still resolved and checked (for test worlds)',
  ),
  CRAWL_CA_FILE: defineSetting(
    file.optional(),
    'PEM file of an extra certificate authority to trust',
  ),
  DNS_SERVER: defineSetting(
    text
      .refine(isNameServer, { error: 'must be ADDRESS:PORT such as 127.0.0.1:53 or [::1]:53' })
      .optional(),
    'ADDRESS:PORT of a name server to use instead of the system’s; an address, not a name',
  ),
  CRAWL_CONTACT: defineSetting(
    httpUrl.default('https://github.com/agentic-ad-registry/agentic-ad-registry'),
    'page about the crawler, named in its User-Agent',
  ),
  CRAWL_SIGNING_KEY: defineSetting(
    file.optional(),
    'file with a private Ed25519 key (JWK): the crawler signs its requests (Web Bot Auth, RFC 9421) and the API serves the public key; needs BASE_URL',
    { secret: true },
  ),
  ROBOTS: defineSetting(
    z.enum(['ignore', 'respect']).default('ignore'),
    'whether files that robots.txt disallows are skipped; well-known files are published for crawlers, so the default is to ignore it',
    { shown: 'ignore' },
  ),
  CRAWL_SCHEDULE: defineSetting(
    cron.default('0 3 * * *'),
    'when known files are due again (cron, UTC)',
    {
      shown: '0 3 * * *',
    },
  ),
  RECRAWL_HOURS: defineSetting(
    wholeNumber(1, 24).default(6),
    'hours until a file that has just changed is crawled again',
    { shown: '6' },
  ),
  HOST_CONCURRENCY: defineSetting(
    wholeNumber(1, 64).default(1),
    'connections to one host at a time',
    { shown: '1' },
  ),
  ADDRESS_CONCURRENCY: defineSetting(
    wholeNumber(1, 4096).default(64),
    'connections to one address at a time',
    {
      shown: '64',
    },
  ),
  CRAWL_CONCURRENCY: defineSetting(
    wholeNumber(1, 4096).default(128),
    'hosts that a crawler fetches from at a time',
    {
      shown: '128',
    },
  ),
  FRONTIER_MAX: defineSetting(
    wholeNumber(1, 100_000_000).default(2_000_000),
    'domains in the frontier at most',
    {
      shown: '2000000',
    },
  ),
}
