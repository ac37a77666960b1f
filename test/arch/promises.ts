/** A promise of ARCHITECTURE.md, and the test that shows it. */
export interface Promised {
  /** The words of the document, with its line breaks. */
  says: string
  file: string
  title: string
}

const shownBy = (file: string, ...rows: [says: string, title: string][]): Promised[] =>
  rows.map(([says, title]) => ({ says, file: `test/${file}`, title }))

export const promises: readonly Promised[] = [
  ...shownBy('unit/jobs/batch-split.test.ts', [
    'so commits are cut to a tenth of a second while people save',
    'ends with as many documents as can be committed in the time a save may wait',
  ]),
  ...shownBy('unit/writer/priority-queue.test.ts', [
    'and a save never waits behind more than one of them',
    'lets a save pass everything that waits, and none that runs',
  ]),
  ...shownBy('soak/stopped-parts.test.ts', [
    'and both go on while it or Redis cannot be reached',
    'reads continue and writes answer 503 with Retry-After; then all work continues',
  ]),
  ...shownBy('soak/commit-faults.test.ts', [
    'All other stores are made from it\n  by the same functions that a commit uses',
    'what was saved is shown as before when every store is made again',
  ]),
  ...shownBy(
    'soak/own-redis.test.ts',
    [
      'a lock allows one `start` per folder',
      'run once: the second one says so and touches nothing',
    ],
    [
      'With a full disk reads continue, writes answer 503',
      'stops writes but no reads, and everything resumes once there is room',
    ],
    [
      'restarts one that dies while the\nothers go on',
      'is restarted after a kill; reads continue and writes are back soon',
    ],
  ),
  ...shownBy('e2e/resume.test.ts', [
    'what is lost\nwith it is crawled again',
    'continues: each file is fetched, and none again that was committed',
  ]),
  ...shownBy(
    'unit/writer/sequencer.test.ts',
    [
      'submissions by their id, with which the answer is stored',
      'counts once for a write, also when the first answer was lost',
    ],
    [
      'rows that readers do not see',
      'is completed by the next start, even if it was the very first',
    ],
    ['an old checkpoint', 'continues after a crash between registry.duckdb and the checkpoint'],
    [
      'strictly rise whatever the clock does',
      'repeats no event after the clock stepped back over midnight',
    ],
    [
      'is found by bisecting its batch and goes to `quarantine`; the others are committed',
      'is quarantined, and all others of its batch are committed',
    ],
  ),
  ...shownBy('property/writer/commit.property.test.ts', [
    'Whatever is delivered twice counts once',
    'twice is committed once',
  ]),
  ...shownBy('unit/parse/too-broad.test.ts', [
    'beyond that the file is reported as `too_broad` and the old answer\nstands',
    'keeps the known state, reports why, and is read again once the file is smaller',
  ]),
  ...shownBy('property/writer/portions.property.test.ts', [
    'A large answer is applied in **portions**',
    'end in the same state as all at once, and the feed reports it',
  ]),
  ...shownBy(
    'unit/writer/damaged-files.test.ts',
    [
      'What is derived and damaged is set aside in `damaged/` and made again by `start` itself',
      '$what $how',
    ],
    ['it refuses and names the command that helps', 'where the record %s'],
  ),
  ...shownBy(
    'e2e/one-writer.test.ts',
    [
      'the kernel gives it to one process and takes it back when\nthat process dies',
      'a waiting one takes over at once when it is killed',
    ],
    ['each commit checks it', 'stops at its next commit, of which nothing is kept'],
  ),
  ...shownBy(
    'unit/read/claims.test.ts',
    [
      "So a manager's\nfile is fetched once, however many publishers point at it",
      'fetches a shared file once for all publishers that point to it',
    ],
    [
      'What it says of others is a **claim**: kept, never an event',
      'is a claim on each of them, and not a grant',
    ],
  ),
  ...shownBy('property/writer/incremental.property.test.ts', [
    'deriving everything into an empty index must give\nthe same rows as any sequence of nights',
    'equals one that is derived afresh from documents, crawl state and time',
  ]),
  ...shownBy('property/writer/unchanged-observations.property.test.ts', [
    'An observation that changes only times writes these and nothing else',
    'each attempt is stored as it was computed, by the short statement too, and once',
  ]),
  ...shownBy(
    'unit/writer/revocations.test.ts',
    [
      'A revocation beats every other mention in its file',
      'loses its grants in the same commit, whatever else the file says about it',
    ],
    [
      'holds for seven days whatever becomes of the entry',
      'stays revoked for seven days after the first sight, though the entry is gone',
    ],
  ),
  ...shownBy(
    'unit/resolve/brake.test.ts',
    [
      'holds back removals that are too many to be believed at once',
      'causes no loss when all files turn into a web page, however often',
    ],
    ['An explicit revocation is never held', 'is never held, however many publishers it affects'],
  ),
  ...shownBy(
    'api/freshness-of-answers.test.ts',
    [
      'where several did, the weakest counts',
      'both, where one points to the other, and the weaker one counts',
    ],
    ['a pointer and its\ntarget', 'that of the target of a pointer, also if it was never read'],
    [
      'a publisher and the operator whose brand.json confirms or\ncontradicts it',
      'the operator’s too, where it says anything about the grant',
    ],
  ),
  ...shownBy('property/read/bootstrap.property.test.ts', [
    'A replica that starts from a snapshot reads the feed from its `X-Sync-Cursor` and misses nothing',
    'and follows the feed from their cursor equals the index after any nights',
  ]),
  ...shownBy(
    'unit/fetch/request-budget.test.ts',
    ['by target (registrable domain and address', 'limit an address shared by many sites'],
    [
      'Outbound requests are limited in three ways: by caller',
      'limit one caller over any number of sites',
    ],
  ),
  ...shownBy('api/outbound-bounds.test.ts', [
    'At the limit of a target the last known answer is returned, with its age',
    'recent answers are sent again with their age',
  ]),
  ...shownBy('unit/core/fair-queue.test.ts', [
    'refuses the caller with the longest queue first',
    'beyond the bound the caller with the longest queue loses its last place',
  ]),
  ...shownBy('api/hostile-bodies.test.ts', [
    'Bodies are\nbounded in bytes, nesting and time before anything parses them',
    'of %s is refused by every operation before it is parsed',
  ]),
  ...shownBy(
    'arch/layers.test.ts',
    [
      'it\nreaches no network and writes nothing',
      'whatever the API imports, it reaches neither the way out nor a writer',
    ],
    [
      'holds this table as data, and the only place from which each outside library is imported',
      'every file imports only what its layer may',
    ],
  ),
  ...shownBy('arch/security.test.ts', [
    'lists each threat with the test\nthat shows the defense',
    '$file has the test “$title”',
  ]),
  ...shownBy('soak/stopped-parts.test.ts', [
    'Reads need nothing but the files of the stores',
    'reads continue and writes answer 503 with Retry-After; then all work continues',
  ]),
  ...shownBy('soak/commit-faults.test.ts', [
    '`recover()` then does',
    'neither loses nor repeats anything when the step %s %s',
  ]),
  ...shownBy('api/saves.test.ts', [
    'so a client reads its own write',
    '200: a new brand is shown at once with the given fields',
  ]),
  ...shownBy('api/saves.test.ts', [
    "are shown only if there is no file of the domain's own",
    'an entry is replaced by the domain’s own file, and returns when that is gone',
  ]),
  ...shownBy('api/community-properties.test.ts', [
    'Community entries and enrichments are identity only',
    'grants nothing and is listed once',
  ]),
  ...shownBy('unit/writer/failed-projections.test.ts', [
    'its old answer is served, and `verify` names it',
    'keeps its old answer and is quarantined, while everything else continues',
  ]),
  ...shownBy('unit/writer/portions.test.ts', [
    'with saves in between',
    'is derived once, however many saves come in between',
  ]),
  ...shownBy('unit/writer/portions.test.ts', [
    'Claims follow in\nslices',
    'has its claims written slice by slice, also those of one agent',
  ]),
  ...shownBy('unit/writer/damaged-files.test.ts', [
    'It is never silently replaced by an empty one',
    'where the log of the record is missing, until the loss is accepted',
  ]),
  ...shownBy('e2e/one-writer.test.ts', [
    'Each writer also raises a fencing number in the record',
    'can write again only after it was opened again',
  ]),
  ...shownBy('unit/writer/quiet-commits.test.ts', [
    'bodies and\nevents stay as they are',
    'writes their times by as many statements for many as for few, and nothing else',
  ]),
  ...shownBy('api/lookups.test.ts', [
    'It is shown for a week and authorizes nothing',
    '200: agents that recently claimed the domain, known or not, until they stop',
  ]),
  ...shownBy('property/resolve/authority.property.test.ts', [
    'from which both the answer and the evidence follow',
    'the answer equals a naive reading of both files, and its evidence agrees',
  ]),
  ...shownBy('api/product-authorization.test.ts', [
    'confirmed when both\n  agree',
    '200: a product is authorized when all of it is, and confirmed when both sides agree',
  ]),
  ...shownBy(
    'unit/writer/plausibility.test.ts',
    ['is held until it has\n  persisted for a day', 'is followed a day later, not by time alone'],
    ['or a person requests a crawl', 'is followed when a person asks meanwhile'],
  ),
  ...shownBy(
    'unit/core/file-validity.test.ts',
    ['What an outcome does to the stored state of a file', '%s: %s'],
    [
      'A pointer that leads to another pointer counts as no answer',
      '%s is no answer: its properties become stale, its grants hold a day',
    ],
    [
      'so a site that\nstops answering loses its grants without any further event',
      'lasts a week while a server fails, in whatever way',
    ],
  ),
  ...shownBy(
    'api/freshness-of-answers.test.ts',
    [
      "an ads.txt and the manager's file",
      'the ads.txt and the manager’s file, where the own one is missing',
    ],
    ['a brand and its house', 'that of the house, where it decides which brand a domain is'],
    [
      'Crawling never follows a pointer',
      'that of a target that points on: it is not followed, so it is unusable',
    ],
  ),
  ...shownBy('api/no-snapshot.test.ts', [
    'Lookups by key, history and the feed show a commit at once',
    'lookups by key answer without a snapshot',
  ]),
  ...shownBy('api/answer-cache.test.ts', [
    'Lists and search show the last published snapshot',
    'an answer follows the snapshot, the members, and the clock where it shows the head of the feed',
  ]),
  ...shownBy('unit/crawl/crawl-source.test.ts', [
    'only new bytes get there',
    'of known bytes is unchanged',
  ]),
  ...shownBy('unit/jobs/submission-stream.test.ts', [
    'those that arrive during a commit form the next one, and are answered together',
    'commits those that arrive during a commit together, and answers each sender',
  ]),
  ...shownBy('unit/jobs/dispatcher.test.ts', [
    "Nothing is lost when the indexer is down at three o'clock",
    'dispatches a bounded number of files, and more only as results arrive',
  ]),
  ...shownBy('unit/resolve/brand-trust.test.ts', [
    'when its answer will change by itself',
    'is remembered for half a year of nights, and then ends without another crawl',
  ]),
  ...shownBy('property/writer/portions.property.test.ts', [
    'The result is the same as that of a single commit',
    'end in the same state as all at once, and the feed reports it',
  ]),
  ...shownBy('unit/read/claims.test.ts', [
    "compared with the other\n  publisher's file on request",
    'is what the publisher’s own file lists, whatever the manager lists',
  ]),
  ...shownBy('property/resolve/authority.property.test.ts', [
    "A sale is authorized when the publisher grants it and the operator's brand.json does not contradict",
    'the answer equals a naive reading of both files, and its evidence agrees',
  ]),
  ...shownBy('api/brands.test.ts', [
    '`ETag` covers the bytes and the state',
    'an answer that could not be confirmed for two days is stale, and its ETag says so',
  ]),
  ...shownBy('api/answer-cache.test.ts', [
    'limits each kind of expensive answer separately',
    'a caller with too many requests affects no other lists or callers',
  ]),
  ...shownBy('unit/writer/recrawl.test.ts', [
    '`due_at` is the next time that `CRAWL_SCHEDULE` names',
    'when its server allows it, after the nightly run',
  ]),
]
