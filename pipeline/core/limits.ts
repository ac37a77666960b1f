import { z } from 'zod'
import { buildJsonText } from './json-text.ts'
import { findNearestWord } from './nearest-word.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Every limit of the registry: its default, which is the specification's if there is one, and its meaning. */
const entries = {
  adagentsBytes: [5 * MiB, 'largest adagents.json at a well-known URL'],
  adagentsPointerBytes: [20 * MiB, 'largest adagents.json at the target of a pointer'],
  brandBytes: [256 * KiB, 'largest brand.json'],
  adsTxtBytes: [MiB, 'largest ads.txt'],
  httpRedirects: [3, 'redirects followed for a file'],
  adsTxtRedirects: [5, 'redirects followed for an ads.txt'],
  connectMs: [5_000, 'time to connect, TLS included'],
  nameMs: [2_000, 'time for one DNS query'],
  fetchMs: [10_000, 'time for one response'],
  documentMs: [20_000, 'time for a file with all its redirects'],
  probeMs: [10_000, 'time for a probe of an agent'],
  agentCardMs: [3_000, 'time for an agent’s card'],
  agentAnswerBytes: [MiB, 'largest response from an agent'],
  agentToolsBytes: [4 * MiB, 'largest tool list from an agent, all pages together'],
  agentTools: [500, 'tools stored per agent'],
  agentFormats: [500, 'creative formats stored per agent'],
  agentClaims: [10_000, 'publishers stored per agent’s claims'],
  agentBlockBytes: [256 * KiB, 'largest block of capabilities that is stored as written'],
  agentsPerSite: [
    500,
    'agents probed below one registrable domain until one responds; two more for each that does',
  ],
  agentsPerDocumentHour: [500, 'new agents from one document that are probed in an hour'],
  namesPerDocumentHour: [500, 'new names one document may add to the frontier in an hour'],
  namesPerSiteHour: [
    300,
    'new names below one registrable domain that join the frontier in an hour',
  ],
  namesPerCallerHour: [
    1_000,
    'new names one caller may add to the frontier, or to the enriched brands, in an hour',
  ],
  faultsPerDocument: [200, 'issues stored per document'],
  crawlBatchSources: [500, 'files in one crawl job'],
  crawlBatchesInFlight: [100, 'crawl jobs enqueued at once'],
  crawlLostMs: [300_000, 'time after which a file is due again if its crawl job was lost'],
  jobLockMs: [120_000, 'time after which the job of a stalled worker goes to another worker'],
  observationMessageBytes: [MiB, 'largest message of observations; larger ones are split'],
  outboxBytes: [16 * MiB, 'size of the observations in a batch that have not been sent yet'],
  sentBytes: [64 * MiB, 'maximum size of a crawler’s observations in Redis'],
  unpackedBytes: [
    24 * MiB,
    'size of unpacked observations that wait in the indexer for their commit',
  ],
  observationsWaiting: [64, 'messages of observations that may wait in Redis'],
  bulkCommitObservations: [5_000, 'maximum number of observations in one commit'],
  bulkCommitWaitMs: [5_000, 'longest time that observations wait for others to share their commit'],
  bulkCommitMs: [350, 'time a bulk commit should take'],
  bulkCommitBesideSavesMs: [
    100,
    'time a bulk commit should take while people wait for their saves',
  ],
  commitRows: [1_500, 'rows of publishers in one commit; a larger change is applied in portions'],
  frontierDomains: [2_000_000, 'domains in the frontier'],
  snapshotsKept: [3, 'snapshots kept'],
  snapshotLogBytes: [
    1024 * MiB,
    'size of the record’s log at which bulk commits wait until a snapshot is published',
  ],
  feedRetentionDays: [90, 'days of events in the feed'],
  requestRetentionDays: [90, 'days for which crawl requests are stored'],
  privateRetentionDays: [400, 'days for which replaced private rows are stored'],
  leaseMs: [
    10_000,
    'time after which an unreachable writer counts as stopped, and another host may take over (`BACKUP_TO`)',
  ],
  commitsSinceBackup: [2_000, 'commits with confirmed writes after which a backup is made sooner'],
  answerBytesSinceBackup: [
    32 * MiB,
    'bytes of confirmed writes after which a backup is made sooner',
  ],
  bulkResolveDomains: [100, 'domains in one bulk resolution'],
  parquetPartBytes: [
    1024 * MiB,
    'bytes of a Parquet file after which its table continues in another one',
  ],
  flatGrantRows: [
    20_000_000,
    'rows up to which `grants_flat` is exported, with one row for each property of a grant',
  ],
  fileRequestsPerMinute: [
    1_200,
    'requests for published files, or ranges of them, per IP address per minute',
  ],
  bulkResolvePerMinute: [20, 'bulk requests per operation and IP address per minute'],
  crawlRequestDomainSeconds: [300, 'seconds between two crawl requests for one file'],
  crawlRequestsPerHour: [30, 'crawl requests per person or organization per hour'],
  proofDays: [90, 'days for which the verification of a domain is valid'],
  challengeMinutes: [15, 'minutes for which an ownership challenge is valid'],
  requestMs: [60_000, 'time for a request to arrive'],
  answerMs: [8_000, 'time a write waits for its response'],
  redisConnectMs: [2_000, 'time to connect to Redis'],
  redisAnswerMs: [3_000, 'time for a response from Redis'],
  lookupMs: [1_000, 'time for a DNS lookup that a caller waits for'],
  issuerMs: [2_000, 'time for a file of the identity provider'],
  ownershipMs: [5_000, 'time to verify an ownership challenge'],
  ownershipFileBytes: [KiB, 'largest ownership file'],
  savesPerHour: [60, 'saves per person or key per hour'],
  savesPerOrganizationHour: [60, 'saves per organization per hour'],
  savesPerOrganizationDay: [200, 'saves per organization per day'],
  answerItems: [200, 'items of a list within a response'],
  clientRegistrationsPerHour: [20, 'applications that one IP address may register in an hour'],
  clientRegistrationsPerHourInAll: [
    2_000,
    'applications that all IP addresses together may register in an hour',
  ],
  unusedClientDays: [
    30,
    'days after which an application is removed if nobody has signed in with it',
  ],
  authorizationsPerMinute: [
    120,
    'authorization requests that one IP address may begin in a minute',
  ],
  signInFormsPerCallerHour: [300, 'sign-in forms that one IP address may send in an hour'],
  signInFormsPerHour: [20_000, 'sign-in forms that all IP addresses together may send in an hour'],
  signInLinksPerHour: [5, 'sign-in links that are sent to one email address in an hour'],
  signInLinksPerCallerHour: [30, 'sign-in links that one caller may have sent in an hour'],
  upstreamSignInsPerCallerHour: [
    60,
    'sign-ins at an OpenID provider that one caller may begin in an hour',
  ],
  signInLinkMinutes: [15, 'minutes for which a sign-in link works'],
  invitationDays: [7, 'days for which an invitation can be accepted'],
  invitationsPending: [50, 'pending invitations per organization'],
  mailMs: [10_000, 'time for the mail server to accept an email'],
  accessTokenMinutes: [15, 'minutes for which an access token is valid'],
  refreshTokenDays: [30, 'days after which an unused refresh token ends'],
  snapshotQueries: [200, 'concurrent snapshot queries of one kind'],
  largeBodiesAtOnce: [16, 'large request bodies processed at once'],
  largeBodiesPerCaller: [4, 'large request bodies per caller at once'],
  connections: [
    20_000,
    'open connections. Beyond that, idle connections are closed first, then the oldest one of the IP address with the most; if that is not possible, new ones are rejected',
  ],
  feedStreams: [10_000, 'open feed streams'],
  feedStreamsPerCaller: [100, 'open feed streams per caller'],
  pageStreams: [2_000, 'open pages per process that are notified of commits'],
  pageStreamsPerCaller: [20, 'open pages per IP address that are notified of commits'],
  enrichMs: [6_000, 'time to enrich a brand'],
  enrichedDays: [30, 'days after which an enrichment is refreshed on request'],
  enrichedDaysMost: [180, 'days after which an enrichment is no longer shown'],
  enrichedBrands: [100_000, 'enriched brands that are stored'],
  validateMs: [8_000, 'time for a live validation'],
  validateAgents: [10, 'agents checked in one live validation'],
  validateAgentMs: [5_000, 'time for one agent in a live validation'],
  liveBrandMs: [6_000, 'time for a live brand resolution'],
  agentCallsPerMinute: [600, 'calls to the reference agent per IP address per minute'],
  agentCredentialCallsPerMinute: [
    6_000,
    'calls to the reference agent per credential per minute: the public one, or a key that signs',
  ],
  agentCredentialBytes: [
    64 * MiB,
    'bytes that one credential can store at one tenant of the reference agent, and the same again for its idempotency keys. Beyond that, the oldest records are deleted',
  ],
  agentAskMs: [10_000, 'time for a live query to an agent'],
  storyboardMs: [90_000, 'time for a storyboard against one agent'],
  storyboardStepMs: [30_000, 'time for one step of a storyboard'],
  complianceFirstMs: [
    300_000,
    'longest time from adding an agent to its first scheduled run. At least half of it passes, so that a credential can be saved first',
  ],
  complianceAgainMs: [
    10_000,
    'time after which an agent that a full run did not reach is called once more',
  ],
  storyboardBundleBytes: [30_000_000, 'bytes in a storyboard archive'],
  storyboardBundleMs: [60_000, 'time to fetch such an archive'],
  storyboardCalls: [150, 'requests to an agent in one run of a storyboard'],
  complianceRunMs: [600_000, 'time for a scheduled run of all storyboards against one agent'],
  storyboardRunsPerHour: [
    10,
    'storyboard runs and comparisons per person or organization per hour',
  ],
  agentRunSeconds: [60, 'seconds between two requests for an immediate test run of one agent'],
  storyboardWebhooksPerMinute: [
    600,
    'webhooks that one IP address may send to storyboard runs in a minute',
  ],
  storyboardStepsPerHour: [
    60,
    'individual storyboard steps and agent discoveries per person or organization per hour',
  ],
  demandedDomains: [1_000, 'unknown domains collected between two submissions'],
  authorizationsChecked: [10_000, 'authorizations in one check of a list'],
  authorizationBodyBytes: [4 * MiB, 'bytes in one request that checks a list of authorizations'],
  checkedNames: [10_000, 'entries in one check of a list'],
  checkReportDays: [7, 'days for which the report of a check is stored'],
  checkReportsBytes: [64 * MiB, 'bytes of all stored reports'],
  draftMinutes: [60, 'minutes for which a file from the workshop is kept for the dashboard'],
  draftsBytes: [32 * MiB, 'bytes of all such files'],
  pagePicturesBytes: [
    64 * MiB,
    'bytes of pictures of pages that each process caches on disk, shared by the callers for whom they were drawn',
  ],
  homePageBytes: [2 * MiB, 'largest home page'],
  homeManifestBytes: [256 * KiB, 'largest web app manifest of a home page'],
  providerAnswerBytes: [MiB, 'largest response of a brand data provider'],
  siteRequestsPerMinute: [
    120,
    'outbound requests to one registrable domain per minute, of every kind',
  ],
  addressRequestsPerMinute: [
    3_000,
    'outbound requests to one IP address per minute, of every kind',
  ],
  callerRequestsPerMinute: [1_200, 'outbound requests per minute that one caller may cause'],
  callersRequestsPerMinute: [
    6_000,
    'outbound requests per minute that all callers may cause together',
  ],
  callerQuestionsAtOnce: [16, 'concurrent live requests per caller; others wait'],
  answerKeptSeconds: [
    10,
    'seconds for which a live response is reused; the response says how old it is',
  ],
  answerKeptAtBoundSeconds: [
    300,
    'seconds for which a live response is reused while its target may not be requested',
  ],
  mirrorItems: [2_000, 'entries in one mirror'],
  logoBytes: [512 * KiB, 'largest logo'],
  subscriptionsPerOrganization: [20, 'webhooks per organization'],
  watchesPerPerson: [100, 'things that one person can watch'],
  watchMailsPerDay: [
    20,
    'emails per person per day about what they watch; further changes go into a later email',
  ],
  receiverQuestionsPerHour: [
    60,
    'challenges and tests sent to webhook receivers per organization per hour',
  ],
  receiverMs: [10_000, 'time for a webhook receiver to respond'],
  receiverAnswerBytes: [4 * KiB, 'bytes of a receiver’s response that are read'],
  deliveryEvents: [500, 'events of the feed in one delivery'],
  deliveryBytes: [256 * KiB, 'largest delivery, unless one event is larger'],
  deliveriesAtOnce: [
    128,
    'deliveries in progress that have waited less than a second for a response',
  ],
  deliveriesOpen: [1_024, 'deliveries in progress in total'],
  deliveriesFailing: [64, 'deliveries in progress to receivers that failed before'],
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

const names = Object.keys(limits)
const count = z
  .int({ error: 'must be a whole number from 0' })
  .min(0, { error: 'must be a whole number from 0' })
const override = count.optional()
const Overrides = z.strictObject(Object.fromEntries(names.map(name => [name, override])), {
  error: issue => (issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys) : undefined),
})

function describeUnknown(unknown: readonly string[]): string {
  const [name = ''] = unknown
  const nearest = findNearestWord(name, names)
  const hint =
    nearest === undefined ? ': docs/settings.md lists all limits' : `; the nearest is ${nearest}`
  return `has no limit ${name}${hint}`
}

/** Reads the `LIMITS` setting (JSON): unknown names and wrong values are errors. */
export const LimitsOverride = buildJsonText('{"savesPerHour": 120}')
  .pipe(Overrides)
  .transform((overrides): Limits => ({ ...limits, ...(overrides as Partial<Limits>) }))
