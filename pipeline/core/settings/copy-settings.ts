import { z } from 'zod'
import { defineSetting } from './define-setting.ts'
import { origin, place } from './place-kinds.ts'
import { wholeNumber } from './setting-kinds.ts'

/** Settings of snapshots, backups and replicas. */
export const copySettings = {
  PUBLISH_EVERY: defineSetting(wholeNumber(1, 86_400).optional(), 'seconds between snapshots', {
    shown: '5; longer where a copy takes more than 0.5 s, up to 900',
  }),
  BACKUP_TO: defineSetting(
    place.optional(),
    'folder or `s3://BUCKET/PREFIX` that gets backups of everything, private data included: with a Redis elsewhere, an indexer on another host takes over from them (docs/operating.md)',
    { shown: 'no backups are made' },
  ),
  BACKUP_EVERY: defineSetting(wholeNumber(1, 86_400).default(900), 'seconds between two backups', {
    shown: '900; sooner if many writes were made since the last one',
  }),
  PUBLISH_TO: defineSetting(
    place.optional(),
    'folder in which everything public is published as files for replicas (`registry follow`), or `s3://BUCKET/PREFIX`, with endpoint, region and credentials in the environment as the AWS SDK takes them (docs/operating.md); the API serves them below `/data/`',
    { shown: 'nothing is published' },
  ),
  RELEASES_KEPT: defineSetting(
    wholeNumber(2, 3_660).default(30),
    'daily releases of the data set to keep; of older ones, the first of each month stays',
    { shown: '30' },
  ),
  DATA_LICENSE: defineSetting(
    z.string().optional(),
    'license of the public data, as `/data/` and its manifest name it, such as `CC-BY-4.0`',
    { shown: 'none is stated' },
  ),
  REPLICA_OF: defineSetting(
    origin.optional(),
    'address of the registry of which DATA_DIR holds a replica; `registry follow` sets it for its API, which then refuses writes',
  ),
  REPLICA_KEY: defineSetting(
    z
      .string()
      .regex(/^[^\s+]+\+[0-9a-f]{8}\+\S+$/, 'must be the key of a log, as name+id+key')
      .optional(),
    'public key of the log of that registry, as in `/log/key`, from a source that you trust; nothing that it has not signed is followed',
    { shown: 'the key that the replica sees first' },
  ),
}
