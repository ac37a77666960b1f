import { z } from 'zod'
import { defineSetting } from './define-setting.ts'
import { file } from './place-kinds.ts'
import { flag, issuerUrl, share, text, wholeNumber } from './setting-kinds.ts'

/** Settings of what enters the record, and what is held back. */
export const recordSettings = {
  ENRICHMENT_URL: defineSetting(
    issuerUrl.optional(),
    'URL of a brand data service that is queried first, with `GET ENRICHMENT_URL?domain=acme.example`. It responds like `/api/brands/enrich`, with `{"manifest": {"name": …}, "company": {…}}` or 404 (docs/operating.md), and may be in a private network',
  ),
  ENRICHMENT_KEY: defineSetting(
    text.optional(),
    'credential for that service, sent as a bearer token to no other host',
    { secret: true },
  ),
  BRANDFETCH_KEY: defineSetting(
    text.optional(),
    'API key of the brand data provider that is queried before home pages are read',
    { secret: true },
  ),
  BRANDFETCH_URL: defineSetting(
    z
      .url({ protocol: /^https$/, error: 'must be a URL with https' })
      .default('https://api.brandfetch.io'),
    'base URL of the brand data provider, or of a service with the same API',
    { shown: 'https://api.brandfetch.io' },
  ),
  BRAKE_SHARE: defineSetting(
    share.default(0.02),
    'share of all grants and active properties that a night may remove before further removals are held back',
    { shown: '0.02' },
  ),
  BRAKE_FACTOR: defineSetting(
    wholeNumber(1, 1_000_000).default(5),
    'multiple of a night’s usual removals (the mean of three to seven nights) that one night may reach',
    { shown: '5' },
  ),
  BRAKE_ROWS: defineSetting(
    wholeNumber(1, 1_000_000_000).default(200),
    'number of grants and properties removed in a night below which nothing is held back',
    { shown: '200' },
  ),
  BRAKE_PUBLISHERS: defineSetting(
    wholeNumber(1, 1_000_000_000).default(20),
    'number of publishers with removals in a night below which nothing is held back',
    { shown: '20' },
  ),
  PROTECTED_NAMES: defineSetting(
    file.optional(),
    'file of domains, one per line. A new entry that looks like one of them, or contains its name, is rejected or waits for review',
  ),
  PROTECTED_REACH: defineSetting(
    wholeNumber(0, 1_000_000_000).default(50),
    'reach at which a brand with its own brand.json is protected like the names in PROTECTED_NAMES. The reach is the total of its active properties, the brands of its house, and the publishers that authorize its agents. 0 protects no brands',
    { shown: '50' },
  ),
  REQUIRE_OWNERSHIP_PROOF: defineSetting(
    flag('true'),
    'whether an organization must verify a domain before it can save an entry for it',
    { shown: 'true' },
  ),
}
