import type { Operation } from '../operation.ts'
import { listRegisteredBrands, resolveBrand, resolveBrandsBulk } from './brands.ts'
import {
  readCrawlRequest,
  requestBrandCrawl,
  requestCrawl,
  requestManagerRevalidation,
} from './crawl.ts'
import { enrichBrand } from './enrich.ts'
import { readFeed, streamFeed } from './feed.ts'
import { lookUpDomain, lookUpPublisher, registryStats } from './lookups.ts'
import { listRegisteredProperties, resolvePropertiesBulk, resolveProperty } from './properties.ts'
import {
  describeCrawlerKeys,
  describeRegistry,
  isAlive,
  isReady,
  openapiDocuments,
  readMetrics,
  referencePages,
} from './well-known.ts'

/** Every endpoint there is. */
export const operations: readonly Operation[] = [
  resolveBrand,
  resolveBrandsBulk,
  listRegisteredBrands,
  enrichBrand,
  resolveProperty,
  resolvePropertiesBulk,
  listRegisteredProperties,
  registryStats,
  requestCrawl,
  readCrawlRequest,
  requestBrandCrawl,
  requestManagerRevalidation,
  readFeed,
  streamFeed,
  lookUpPublisher,
  lookUpDomain,
  describeRegistry,
  ...openapiDocuments,
  ...referencePages,
  describeCrawlerKeys,
  isAlive,
  isReady,
  readMetrics,
]
