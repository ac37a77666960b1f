/** A promise of ARCHITECTURE.md, in its words, and the test that shows it. */
export interface Promised {
  says: string
  file: string
  title: string
}

const shownBy = (file: string, ...rows: [says: string, title: string][]): Promised[] =>
  rows.map(([says, title]) => ({ says, file: `test/${file}`, title }))

export const promises: readonly Promised[] = [
  ...shownBy('unit/jobs/batch-size.test.ts', [
    'so commits are cut to a third of a second',
    'is as large as is committed in the time a save may stand behind it',
  ]),
  ...shownBy('unit/writer/priority-queue.test.ts', [
    'and a save never waits behind more than one of them',
    'let a save pass by whatever waits already, and stand behind what runs',
  ]),
  ...shownBy('e2e/parts-away.test.ts', [
    'and both go on while it or Redis is away',
    'reads go on and writes answer 503 with Retry-After; then work continues',
  ]),
  ...shownBy('e2e/commit-faults.test.ts', [
    'all other stores are made\n  from them by the same functions that a commit uses',
    'what was saved is shown as before when every store is made again',
  ]),
  ...shownBy(
    'e2e/own-redis.test.ts',
    [
      'a lock allows one `start` per folder',
      'are one that runs and one that says so and touches nothing',
    ],
    [
      'With a full disk reads continue, writes answer 503',
      'stops writes and no read, and all goes on once there is room',
    ],
    [
      'restarts one that dies while the\nothers go on',
      'that is killed is started again; reads do not notice and writes are back soon',
    ],
  ),
  ...shownBy('e2e/resume.test.ts', [
    'what is lost\nwith it is crawled again',
    'goes on where it was: each file is fetched, none again that was committed',
  ]),
  ...shownBy(
    'unit/writer/sequencer.test.ts',
    [
      'the submission is delivered again and finds step 0 done',
      'counts once when it is a write, also when the first answer was lost',
    ],
    [
      'rows that readers do not see',
      'is finished by the next start, even if it was the first of all',
    ],
    ['an old checkpoint', 'goes on from a crash between registry.duckdb and the checkpoint'],
    [
      'strictly rise whatever the clock does',
      'doubles no event after the clock stepped back over midnight',
    ],
    [
      'is found by bisecting its batch and goes to `quarantine`; it stops nobody',
      'is set aside, and all others of its batch are committed',
    ],
  ),
  ...shownBy('property/writer/commit.property.test.ts', [
    'Whatever is delivered twice counts once',
    'twice is committed once',
  ]),
  ...shownBy('unit/parse/too-broad.test.ts', [
    'beyond that the file is reported as `too_broad` and the old answer\nstands',
    'keeps what was known, is told why, and is taken on again once it says less',
  ]),
  ...shownBy('property/writer/portions.property.test.ts', [
    'A large answer is applied in **portions**',
    'come to what they come to at once, and the feed tells it',
  ]),
  ...shownBy(
    'unit/writer/damaged-files.test.ts',
    [
      'What is derived and damaged is set aside in `damaged/` and made again by `start` itself',
      '$what $how',
    ],
    ['it refuses and names the command that helps', 'where $store $how'],
  ),
  ...shownBy(
    'e2e/one-writer.test.ts',
    [
      'the kernel gives it to one process and takes it back when\nthat process dies',
      'one that waits takes over at once when it is killed',
    ],
    ['each commit checks it', 'stops at its next commit, of which nothing is kept'],
  ),
  ...shownBy(
    'unit/read/claims.test.ts',
    [
      "So a manager's\nfile is fetched once, however many publishers point at it",
      'that all point to one file have it fetched once',
    ],
    [
      'What it says of others is a **claim**: kept, never an event',
      'is a claim on each, and grants nothing of theirs',
    ],
  ),
  ...shownBy('property/writer/incremental.property.test.ts', [
    'deriving everything into an empty index must give\nthe same rows as any sequence of nights',
    'says what one says that is derived anew from documents, crawl state and time',
  ]),
  ...shownBy('property/writer/unchanged-observations.property.test.ts', [
    'One statement applies all observations that change only times',
    'what is as it was is taken in by one statement just as by the long way',
  ]),
  ...shownBy(
    'unit/writer/revocations.test.ts',
    [
      'A revocation beats every other mention in its file',
      'loses its grants in the commit that reads so, whatever else the file says of it',
    ],
    [
      'holds for seven days whatever becomes of the entry',
      'stays revoked for seven days after it was first seen to be, though the entry vanished',
    ],
  ),
  ...shownBy(
    'unit/resolve/brake.test.ts',
    [
      'holds back losses that are too many to be believed at once',
      'takes nothing when all files turn to a page, however often',
    ],
    ['An explicit revocation is never held', 'is never held, however many publishers it takes'],
  ),
  ...shownBy(
    'api/freshness-of-answers.test.ts',
    [
      'where several did, the weakest counts',
      'both, where one leads to the other, and the weaker one counts',
    ],
    [
      'a pointer and its\ntarget',
      'that of the file a pointer leads to, also where that was never read',
    ],
    [
      'a publisher and the operator whose brand.json confirms or\ncontradicts it',
      'the operator’s too, where it says anything of what is granted',
    ],
  ),
  ...shownBy('property/read/bootstrap.property.test.ts', [
    'A replica that starts from a snapshot reads the feed from its `X-Sync-Cursor` and misses nothing',
    'and follows the feed from their cursor, says what the index says after any nights',
  ]),
  ...shownBy(
    'unit/fetch/request-budget.test.ts',
    [
      'by whom it hits (registrable domain and address',
      'bound an address that names of many sites share',
    ],
    [
      'Whatever leaves the crawler is bounded three ways: by who causes it',
      'bound what one caller causes, at however many sites',
    ],
  ),
  ...shownBy('api/outbound-bounds.test.ts', [
    'At the bound towards a target an answer comes from what is known, with\nits age',
    'what was seen minutes ago is told with its age',
  ]),
  ...shownBy('unit/api/fair-turns.test.ts', [
    'refuses the caller with the longest queue first',
    'where too many wait, the caller with the longest line loses its last place',
  ]),
  ...shownBy('api/hostile-bodies.test.ts', [
    'Bodies are\nbounded in bytes, nesting and time before anything parses them',
    'of %s is refused by every operation, before it is parsed',
  ]),
]
