import { z } from 'zod'

const KiB = 1024
const MiB = 1024 * KiB

/**
 * Every bound the registry keeps, with the specification's value as default. The setting `LIMITS`
 * overrides single entries; tests and benches that raise one say so. Times in ms, sizes in bytes
 * after decompression.
 */
export const limits = {
  adagentsBytes: 5 * MiB,
  adagentsPointerBytes: 20 * MiB,
  brandBytes: 256 * KiB,
  adsTxtBytes: MiB,
  httpRedirects: 3,
  adsTxtRedirects: 5,
  connectMs: 5_000,
  nameMs: 2_000,
  fetchMs: 10_000,
  documentMs: 20_000,
  probeMs: 10_000,
  agentCardMs: 3_000,
  agentAnswerBytes: MiB,
  agentToolsBytes: 4 * MiB,
  agentTools: 500,
  agentFormats: 500,
  agentClaims: 10_000,
  agentBlockBytes: 256 * KiB,
  agentsPerHost: 500,
  faultsPerDocument: 200,
  crawlBatchSources: 500,
  crawlBatchesInFlight: 100,
  crawlLostMs: 300_000,
  jobLockMs: 120_000,
  observationMessageBytes: MiB,
  outboxBytes: 16 * MiB,
  sentBytes: 64 * MiB,
  unpackedBytes: 64 * MiB,
  observationsWaiting: 64,
  bulkCommitObservations: 50_000,
  bulkCommitLeast: 5_000,
  bulkCommitWaitMs: 5_000,
  bulkCommitMs: 350,
  frontierDomains: 2_000_000,
  snapshotsKept: 3,
  feedRetentionDays: 90,
  requestRetentionDays: 90,
  privateRetentionDays: 400,
  bulkResolveDomains: 100,
  bulkResolvePerMinute: 20,
  crawlRequestDomainSeconds: 300,
  crawlRequestsPerHour: 30,
  proofDays: 90,
  challengeMinutes: 15,
  requestMs: 60_000,
  answerMs: 8_000,
  redisConnectMs: 2_000,
  redisAnswerMs: 3_000,
  lookupMs: 3_000,
  issuerMs: 2_000,
  ownershipMs: 5_000,
  ownershipFileBytes: KiB,
  savesPerHour: 60,
  savesPerOrganizationHour: 60,
  savesPerOrganizationDay: 200,
  answerItems: 200,
  snapshotQueries: 200,
  feedStreams: 10_000,
  feedStreamsPerCaller: 100,
  enrichMs: 6_000,
  validateMs: 8_000,
  validateAgents: 10,
  validateAgentMs: 5_000,
  liveBrandMs: 6_000,
  agentAskMs: 10_000,
  demandedDomains: 1_000,
  checkedNames: 10_000,
  checkReportDays: 7,
  checkReportsBytes: 64 * MiB,
  homePageBytes: 2 * MiB,
  homeManifestBytes: 256 * KiB,
  providerAnswerBytes: MiB,
  outwardPerMinute: 300,
  outwardPerCallerMinute: 20,
  outwardPerTargetMinute: 6,
  mirrorItems: 2_000,
  logoBytes: 512 * KiB,
  feedPageBytes: Math.floor(1.5 * MiB),
} as const

export type Limits = Readonly<Record<keyof typeof limits, number>>

const Overrides = z.strictObject(
  Object.fromEntries(
    Object.keys(limits).map(name => [name, z.number().int().nonnegative().optional()]),
  ),
)

/** Reads the `LIMITS` setting (JSON): unknown names and wrong values are errors. */
export const LimitsOverride = z
  .string()
  .transform((text, ctx) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      ctx.addIssue('is not JSON')
      return z.NEVER
    }
  })
  .pipe(Overrides)
  .transform((overrides): Limits => ({ ...limits, ...(overrides as Partial<Limits>) }))
