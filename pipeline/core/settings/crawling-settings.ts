import { z } from 'zod'
import { isCron } from '../schedule.ts'
import { defineSetting } from './define-setting.ts'
import { fetchSettings } from './fetch-settings.ts'
import { file } from './place-kinds.ts'
import { text, wholeNumber } from './setting-kinds.ts'

const cron = text.refine(isCron, { error: 'must be a cron pattern such as "0 3 * * *"' })

/** Settings of what is crawled, how often and how politely. */
export const crawlingSettings = {
  ...fetchSettings,
  CRAWL_SIGNING_KEY: defineSetting(
    file.optional(),
    'file with a private Ed25519 key (JWK) with which the crawler signs its requests (Web Bot Auth, RFC 9421). The API serves the public key. Requires BASE_URL',
    { secret: true },
  ),
  ROBOTS: defineSetting(
    z.enum(['ignore', 'respect']).default('ignore'),
    'whether to skip files that robots.txt disallows. Well-known files are published for crawlers, so the default is to ignore robots.txt',
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
    'connections to one IP address at a time',
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
    'maximum number of domains in the frontier',
    {
      shown: '2000000',
    },
  ),
}
