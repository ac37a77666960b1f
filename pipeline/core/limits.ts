import { z } from 'zod'
import { JsonText } from './json-text.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Every limit of the registry: its default, which is the specification's if there is one, and its meaning. */
const entries = {
  adagentsBytes: [5 * MiB, 'largest adagents.json at a well-known place'],
  adagentsPointerBytes: [
    20 * MiB,
    'largest adagents.json at an address that another file points to',
  ],
  brandBytes: [256 * KiB, 'largest brand.json'],
  adsTxtBytes: [MiB, 'largest ads.txt'],
  httpRedirects: [3, 'redirects followed for a file'],
  adsTxtRedirects: [5, 'redirects followed for an ads.txt'],
  connectMs: [5_000, 'time to connect, TLS included'],
  nameMs: [2_000, 'time for one DNS question'],
  fetchMs: [10_000, 'time for one response'],
  documentMs: [20_000, 'time for a file with all its redirects'],
  probeMs: [10_000, 'time for a probe of an agent'],
  agentCardMs: [3_000, 'time for an agent’s card'],
  agentAnswerBytes: [MiB, 'largest answer of an agent'],
  agentToolsBytes: [4 * MiB, 'largest tool list of an agent, all pages'],
  agentTools: [500, 'tools kept of an agent'],
  agentFormats: [500, 'creative formats kept of an agent'],
  agentClaims: [10_000, 'publishers kept of an agent’s claims'],
  agentBlockBytes: [256 * KiB, 'largest block of capabilities kept as written'],
  agentsPerSite: [
    500,
    'agents probed below one registrable domain while none has answered; two more for each that has',
  ],
  agentsPerDocumentHour: [500, 'new agents that one document has probed in an hour'],
  namesPerDocumentHour: [500, 'new names one document may add to the frontier in an hour'],
  namesPerSiteHour: [
    300,
    'new names below one registrable domain that join the frontier in an hour',
  ],
  namesPerCallerHour: [1_000, 'new names one caller may add to the frontier in an hour'],
  faultsPerDocument: [200, 'faults kept of a document'],
  crawlBatchSources: [500, 'files in one crawl job'],
  crawlBatchesInFlight: [100, 'crawl jobs handed out at once'],
  crawlLostMs: [
    300_000,
    'time after which a file that was handed out and never came back is due again',
  ],
  jobLockMs: [120_000, 'time after which a job of a silent worker goes to another'],
  observationMessageBytes: [MiB, 'largest message of observations; larger ones travel in parts'],
  outboxBytes: [16 * MiB, 'bytes a batch may hold before it waits for its observations to be sent'],
  sentBytes: [64 * MiB, 'bytes a crawler may have in Redis before it waits'],
  unpackedBytes: [24 * MiB, 'bytes of observations the indexer unpacks before they are committed'],
  observationsWaiting: [64, 'messages of observations that may wait in Redis'],
  bulkCommitObservations: [50_000, 'most observations in one commit'],
  bulkCommitLeast: [5_000, 'fewest observations in one commit, however slow the last one was'],
  bulkCommitWaitMs: [5_000, 'longest time observations wait for others to share a commit'],
  bulkCommitMs: [350, 'time a bulk commit may take while a save waits'],
  commitRows: [1_500, 'rows of publishers in one commit; a larger answer is applied in portions'],
  frontierDomains: [2_000_000, 'domains of the frontier'],
  snapshotsKept: [3, 'snapshots kept'],
  feedRetentionDays: [90, 'days of events in the feed'],
  requestRetentionDays: [90, 'days that crawl requests are kept'],
  privateRetentionDays: [400, 'days that replaced private rows are kept'],
  bulkResolveDomains: [100, 'domains in one bulk resolution'],
  bulkResolvePerMinute: [20, 'bulk resolutions per address and minute'],
  crawlRequestDomainSeconds: [300, 'seconds between two crawl requests for one place'],
  crawlRequestsPerHour: [30, 'crawl requests per user and hour'],
  proofDays: [90, 'days a proof of ownership counts'],
  challengeMinutes: [15, 'minutes an ownership challenge counts'],
  requestMs: [60_000, 'time for a request to arrive'],
  answerMs: [8_000, 'time a write waits for its answer'],
  redisConnectMs: [2_000, 'time to connect to Redis'],
  redisAnswerMs: [3_000, 'time for an answer of Redis'],
  lookupMs: [3_000, 'time for a live DNS look-up'],
  issuerMs: [2_000, 'time for a file of the identity provider'],
  ownershipMs: [5_000, 'time to look for an ownership proof'],
  ownershipFileBytes: [KiB, 'largest ownership file'],
  savesPerHour: [60, 'saves per user and hour'],
  savesPerOrganizationHour: [60, 'saves per organization and hour'],
  savesPerOrganizationDay: [200, 'saves per organization and day'],
  answerItems: [200, 'items of a list inside an answer'],
  snapshotQueries: [200, 'questions of one kind to the snapshot at once'],
  largeBodiesAtOnce: [16, 'large request bodies worked on at once'],
  largeBodiesPerCaller: [4, 'large request bodies of one caller at once'],
  connections: [
    20_000,
    'open connections; at the bound idle ones end first, then new ones are refused',
  ],
  feedStreams: [10_000, 'open feed streams'],
  feedStreamsPerCaller: [100, 'open feed streams of one caller'],
  enrichMs: [6_000, 'time to enrich a brand'],
  enrichedDays: [30, 'days after which an enrichment is refreshed when it is asked for'],
  enrichedDaysMost: [180, 'days after which an enrichment is shown no longer'],
  enrichedBrands: [100_000, 'enriched brands that are kept'],
  validateMs: [8_000, 'time for a live validation'],
  validateAgents: [10, 'agents asked in one live validation'],
  validateAgentMs: [5_000, 'time for one agent in a live validation'],
  liveBrandMs: [6_000, 'time for a live brand resolution'],
  agentCallsPerMinute: [600, 'calls of the reference agent per address and minute'],
  agentCredentialCallsPerMinute: [
    6_000,
    'calls of the reference agent per credential and minute: the public one, or a key that signs',
  ],
  agentCredentialBytes: [
    64 * MiB,
    'bytes that one credential may keep at one tenant of the reference agent, and as many for its idempotency keys; beyond that the oldest records go',
  ],
  agentAskMs: [10_000, 'time for a live question to an agent'],
  storyboardMs: [90_000, 'time for a storyboard against one agent'],
  storyboardStepMs: [30_000, 'time for one step of a storyboard'],
  complianceRunMs: [600_000, 'time for a scheduled run of all storyboards against one agent'],
  storyboardRunsPerHour: [10, 'runs and comparisons of storyboards per user and hour'],
  storyboardStepsPerHour: [60, 'single steps and looks at storyboards per user and hour'],
  demandedDomains: [1_000, 'unknown domains remembered between two submissions'],
  checkedNames: [10_000, 'names in one check of a list'],
  checkReportDays: [7, 'days a report of a check is kept'],
  checkReportsBytes: [64 * MiB, 'bytes of all reports together'],
  homePageBytes: [2 * MiB, 'largest home page'],
  homeManifestBytes: [256 * KiB, 'largest web app manifest of a home page'],
  providerAnswerBytes: [MiB, 'largest answer of a provider of brand data'],
  siteRequestsPerMinute: [
    120,
    'outbound requests to one registrable domain per minute, of every kind',
  ],
  addressRequestsPerMinute: [3_000, 'outbound requests to one address per minute, of every kind'],
  callerRequestsPerMinute: [1_200, 'outbound requests one caller may cause per minute'],
  callersRequestsPerMinute: [6_000, 'outbound requests all callers may cause per minute'],
  callerQuestionsAtOnce: [16, 'live requests of one caller under way; others wait'],
  answerKeptSeconds: [10, 'seconds for which a live answer is given again with its age'],
  answerKeptAtBoundSeconds: [
    300,
    'seconds for which a live answer is given again while its target may not be asked',
  ],
  mirrorItems: [2_000, 'entries of one mirror'],
  logoBytes: [512 * KiB, 'largest logo'],
  subscriptionsPerOrganization: [20, 'subscriptions of one organization'],
  receiverQuestionsPerHour: [
    60,
    'challenges and tests that one organization may have receivers asked in an hour',
  ],
  receiverMs: [10_000, 'time for a receiver of changes to answer'],
  receiverAnswerBytes: [4 * KiB, 'largest answer of a receiver that is read'],
  deliveryEvents: [500, 'events of the feed in one delivery'],
  deliveryBytes: [256 * KiB, 'largest delivery, unless one event is larger'],
  deliveriesAtOnce: [128, 'deliveries under way that wait for an answer for less than a second'],
  deliveriesOpen: [1_024, 'deliveries under way in all'],
  deliveriesFailing: [64, 'deliveries under way to receivers that failed before'],
  deliveryRetrySeconds: [
    5,
    'seconds until a delivery that failed is tried again; doubled each time',
  ],
  deliveryRetrySecondsMost: [3_600, 'longest time until a delivery that failed is tried again'],
  deliveryFailingHours: [72, 'hours of failures after which a subscription is disabled'],
  feedPageBytes: [Math.floor(1.5 * MiB), 'largest page of the feed'],
} as const satisfies Record<string, readonly [value: number, meaning: string]>

type Name = keyof typeof entries

/**
 * Default limits by name. The setting `LIMITS` overrides single ones; tests and benches that raise one say
 * so. Times in ms, sizes in bytes after decompression.
 */
export const limits = pick(([value]) => value)

/** Meanings by name, for the documents. */
export const limitMeanings = pick(([, meaning]) => meaning)

function pick<Value>(
  choose: (entry: readonly [value: number, meaning: string]) => Value,
): Readonly<Record<Name, Value>> {
  const chosen = Object.entries(entries).map(([name, entry]) => [name, choose(entry)])
  return Object.fromEntries(chosen)
}

export type Limits = Readonly<Record<keyof typeof limits, number>>

const Overrides = z.strictObject(
  Object.fromEntries(
    Object.keys(limits).map(name => [name, z.number().int().nonnegative().optional()]),
  ),
)

/** Reads the `LIMITS` setting (JSON): unknown names and wrong values are errors. */
export const LimitsOverride = JsonText.pipe(Overrides).transform(
  (overrides): Limits => ({ ...limits, ...(overrides as Partial<Limits>) }),
)
