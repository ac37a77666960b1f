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
    'folder or `s3://BUCKET/PREFIX` for backups of everything, including private data. If Redis runs on a machine of its own, a standby indexer on another host can take over from these backups (docs/operating.md)',
    { shown: 'no backups are made' },
  ),
  BACKUP_EVERY: defineSetting(wholeNumber(1, 86_400).default(900), 'seconds between two backups', {
    shown: '900; sooner if many writes were made since the last one',
  }),
  PUBLISH_TO: defineSetting(
    place.optional(),
    'folder or `s3://BUCKET/PREFIX` to which everything public is published as files for replicas (`registry follow`). For a bucket, the AWS environment variables set the endpoint, region and credentials (docs/operating.md). The API serves the files below `/data/`',
    { shown: 'nothing is published' },
  ),
  RELEASES_KEPT: defineSetting(
    wholeNumber(2, 3_660).default(30),
    'daily releases of the data set to keep. Of older releases, the first of each month is kept',
    { shown: '30' },
  ),
  DATA_LICENSE: defineSetting(
    z.string().optional(),
    'license of the public data, such as `CC-BY-4.0`, shown on `/data/` and in its manifest',
    { shown: 'none is stated' },
  ),
  REPLICA_OF: defineSetting(
    origin.optional(),
    'URL of the registry that DATA_DIR replicates. `registry follow` sets it for its API, which then rejects writes',
  ),
  REPLICA_KEY: defineSetting(
    z
      .string()
      .regex(/^[^\s+]+\+[0-9a-f]{8}\+\S+$/, 'must be the key of a log, as name+id+key')
      .optional(),
    'public key of that registry’s log, from a source that you trust (`/log/key` shows it). The replica accepts only data signed with it',
    { shown: 'the key that the replica sees first' },
  ),
}
