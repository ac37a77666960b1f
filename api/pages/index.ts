import { z } from 'zod'
import { eventTypeNames } from '../../pipeline/model/event.ts'
import { Platform } from '../../pipeline/model/mirror.ts'
import { PastedDomain } from '../inputs/fields.ts'
import { TypedAgentUrl } from '../inputs/sale.ts'
import type { Operation } from '../operation/operation.ts'
import { describeRegistry } from '../routes/well-known.ts'
import { authorizationListPages } from './authorization-list.ts'
import { changesStream } from './changes-stream.ts'
import { definePage } from './define-page.ts'
import { definePicture } from './define-picture.ts'
import {
  agentChoices,
  brandChoices,
  createDirectoryQuery,
  foundKinds,
  publisherChoices,
} from './directory-choices.ts'
import { changeFeeds } from './feeds/change-feeds.ts'
import { plainFiles } from './plain-files.ts'
import { shortcuts } from './shortcuts.ts'
import { watchEndPages } from './watch-end.ts'
import { workshopPages } from './workshop.ts'

const SEARCH_CHARS = 200
const ADDRESS_CHARS = 2_048
const CURSOR_CHARS = 500

const ofDomain = z.object({ domain: PastedDomain })
const text = (maximum: number) => z.string().trim().max(maximum).default('')
const cursor = z.string().max(CURSOR_CHARS).optional()
const numbered = z
  .string()
  .regex(/^\d{1,9}$/, 'must be the number of an earlier page')
  .optional()

/** A time of the past; empty for now. */
const past = text(40)
const ofAgent = z.object({ cursor, as_of: past })

/** Named as the API does; links of before have `agent`, `property`, `type` and `publisher`. */
const ofAuthorization = z.object({
  agent_url: text(ADDRESS_CHARS),
  identifier_type: text(100),
  identifier_value: text(ADDRESS_CHARS),
  domain: text(ADDRESS_CHARS),
  country: text(10),
  as_of: past,
  agent: text(ADDRESS_CHARS),
  property: text(ADDRESS_CHARS),
  type: text(100),
  publisher: text(ADDRESS_CHARS),
})

const home = definePage({
  id: 'homePage',
  path: '/',
  summary: 'Show what the registry knows today',
  worksWithoutStores: true,
  json: describeRegistry,
  load: () => import('./views/home.tsx'),
})

const search = definePage({
  id: 'searchPage',
  path: '/search',
  summary: 'Show search results',
  query: z.object({
    q: text(SEARCH_CHARS),
    kind: z.preprocess(value => value || undefined, z.enum(foundKinds).optional()),
  }),
  load: () => import('./views/search.tsx'),
})

const brand = definePage({
  id: 'brandPage',
  path: '/brand/:domain',
  summary: 'Show which brand a domain is',
  params: ofDomain,
  isOfThing: true,
  load: () => import('./views/brand.tsx'),
})

const brands = definePage({
  id: 'brandsPage',
  path: '/brands',
  summary: 'Show the directory of brands',
  query: createDirectoryQuery(brandChoices),
  load: () => import('./views/brands.tsx'),
})

const publishers = definePage({
  id: 'publishersPage',
  path: '/publishers',
  summary: 'Show the directory of publishers',
  query: createDirectoryQuery(publisherChoices),
  load: () => import('./views/publishers.tsx'),
})

const agents = definePage({
  id: 'agentsPage',
  path: '/agents',
  summary: 'Show the directory of agents',
  query: createDirectoryQuery(agentChoices),
  load: () => import('./views/agents.tsx'),
})

const publisher = definePage({
  id: 'publisherPage',
  path: '/publisher/:domain',
  summary: 'Show what a domain owns and whom it authorizes',
  params: ofDomain,
  query: z.object({ cursor: numbered }),
  isOfThing: true,
  load: () => import('./views/publisher.tsx'),
})

const brandHistory = definePage({
  id: 'brandHistoryPage',
  path: '/brand/:domain/history',
  summary: 'Show how the brand of a domain changed',
  params: ofDomain,
  query: z.object({ cursor: numbered }),
  load: () => import('./views/history.tsx').then(({ showBrand }) => ({ show: showBrand })),
})

const publisherHistory = definePage({
  id: 'publisherHistoryPage',
  path: '/publisher/:domain/history',
  summary: 'Show how the inventory of a domain changed',
  params: ofDomain,
  query: z.object({ cursor: numbered }),
  load: () => import('./views/history.tsx').then(({ showPublisher }) => ({ show: showPublisher })),
})

const agent = definePage({
  id: 'agentPage',
  path: '/agent/:url',
  summary: 'Show whose ads an agent can sell',
  params: z.object({ url: TypedAgentUrl }),
  query: ofAgent,
  isOfThing: true,
  load: () => import('./views/agent.tsx'),
})

const authorization = definePage({
  id: 'authorizationPage',
  path: '/authorization',
  summary: 'Show whether an agent can sell ads on a property, and why',
  query: ofAuthorization,
  isOfThing: true,
  load: () => import('./views/authorization.tsx'),
})

const changes = definePage({
  id: 'changesPage',
  path: '/changes',
  summary: 'Show what changed, the newest first',
  query: z.object({
    type: z.preprocess(value => value || undefined, z.enum(eventTypeNames as [string]).optional()),
    before: z.uuid().toLowerCase().optional(),
    domain: text(ADDRESS_CHARS),
    cursor: numbered,
  }),
  load: () => import('./views/changes.tsx') as never,
})

const crawl = definePage({
  id: 'crawlPage',
  path: '/crawl',
  summary: 'Show the crawl status',
  load: () => import('./views/crawl.tsx'),
})

const policies = definePage({
  id: 'policiesPage',
  path: '/policies',
  summary: 'Show the policies',
  query: z.object({ cursor: numbered }),
  load: () => import('./views/policies.tsx'),
})

const policy = definePage({
  id: 'policyPage',
  path: '/policy/:id',
  summary: 'Show a policy',
  params: z.object({ id: z.string().trim().min(1).max(255) }),
  load: () => import('./views/policy.tsx'),
})

const storyboards = definePage({
  id: 'storyboardsPage',
  path: '/storyboards',
  summary: 'Show the storyboards that test agents',
  worksWithoutStores: true,
  query: z.object({ compliance_target: text(20) }),
  load: () => import('./views/storyboards.tsx'),
})

const storyboard = definePage({
  id: 'storyboardPage',
  path: '/storyboard/:id',
  summary: 'Show a storyboard',
  worksWithoutStores: true,
  params: z.object({ id: z.string().trim().min(1).max(255) }),
  load: () => import('./views/storyboard.tsx'),
})

const mirrors = definePage({
  id: 'mirrorsPage',
  path: '/mirrors',
  summary: 'Show the community mirrors',
  query: z.object({ cursor: numbered }),
  load: () => import('./views/mirrors.tsx'),
})

const mirror = definePage({
  id: 'mirrorPage',
  path: '/mirror/:platform',
  summary: 'Show the mirror of a platform',
  params: z.object({ platform: Platform }),
  load: () => import('./views/mirror.tsx'),
})

const data = definePage({
  id: 'dataPage',
  path: '/data',
  summary: 'Show the data set, and how to open it',
  query: z.object({ table: text(60) }),
  load: () => import('./views/data.tsx'),
})

const sql = definePage({
  id: 'sqlPage',
  path: '/sql',
  summary: 'Query the data in SQL',
  query: z.object({ table: text(60) }),
  load: () => import('./views/sql.tsx'),
})

const reference = definePage({
  id: 'reference',
  path: '/docs',
  summary: 'Show the API reference, or the operations that have some words',
  worksWithoutStores: true,
  query: z.object({ find: z.string().trim().max(100).default('') }),
  load: () => import('./views/reference.tsx'),
})

const operation = definePage({
  id: 'operationPage',
  path: '/docs/operations/:id',
  summary: 'Show an operation of the API',
  worksWithoutStores: true,
  params: z.object({ id: z.string().max(100) }),
  load: () => import('./views/operation.tsx'),
})

const schema = definePage({
  id: 'schemaPage',
  path: '/docs/schemas/:name',
  summary: 'Show the fields of an object of the API',
  worksWithoutStores: true,
  params: z.object({ name: z.string().max(100) }),
  load: () => import('./views/schema.tsx'),
})

const guides = definePage({
  id: 'guidesPage',
  path: '/docs/guides',
  summary: 'Show the guides',
  worksWithoutStores: true,
  load: () => import('./views/guides.tsx'),
})

const guide = definePage({
  id: 'guidePage',
  path: '/docs/guides/:name',
  summary: 'Show a guide',
  worksWithoutStores: true,
  params: z.object({ name: z.string().max(100) }),
  load: () => import('./views/guide.tsx'),
})

const pictures = [
  definePicture({
    id: 'brandPicture',
    path: '/brand/:domain',
    kind: 'Brand',
    summary: 'Draw which brand a domain is',
    params: ofDomain,
    load: () => import('./views/brand.tsx'),
  }),
  definePicture({
    id: 'publisherPicture',
    path: '/publisher/:domain',
    kind: 'Publisher',
    summary: 'Draw what a domain owns and whom it authorizes',
    params: ofDomain,
    query: z.object({ cursor: numbered }),
    load: () => import('./views/publisher.tsx'),
  }),
  definePicture({
    id: 'agentPicture',
    path: '/agent/:url',
    kind: 'Agent',
    summary: 'Draw whose ads an agent can sell',
    params: z.object({ url: TypedAgentUrl }),
    query: ofAgent,
    load: () => import('./views/agent.tsx'),
  }),
  definePicture({
    id: 'authorizationPicture',
    path: '/authorization',
    kind: 'Check authorization',
    summary: 'Draw whether an agent can sell ads on a property',
    query: ofAuthorization,
    load: () => import('./views/authorization.tsx'),
  }),
]

/** Every page there is, and the files beside them. */
export const pages: readonly Operation[] = [
  home,
  search,
  brands,
  publishers,
  agents,
  brand,
  publisher,
  brandHistory,
  publisherHistory,
  agent,
  authorization,
  changes,
  changesStream,
  ...changeFeeds,
  crawl,
  policies,
  policy,
  storyboards,
  storyboard,
  mirrors,
  mirror,
  data,
  sql,
  reference,
  operation,
  schema,
  guides,
  guide,
  ...shortcuts,
  ...pictures,
  ...workshopPages,
  ...authorizationListPages,
  ...watchEndPages,
  ...plainFiles,
]
