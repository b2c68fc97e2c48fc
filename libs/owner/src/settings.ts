// Settings that the owners of a deployment share: one object each, so that a variable means the same in all of them.
import { mapped, setting } from '@svc-server/service/configuration'

const MiB = 1024 * 1024

export const ownerSettings = {
  stuckThresholdMs: mapped(
    setting.minutes({
      env: 'SVC_EVENT_PROPAGATION_STUCK_THRESHOLD_MINUTES',
      default: 15,
      min: 1,
      max: 1440,
      says:
        'Time without a publication, with staged spans waiting, after which the worker’s health says stuck; ' +
        'without a merge, with events waiting, as well.',
    }),
    minutes => minutes * 60_000,
  ),
  maxRecordBytes: setting.bytes({
    env: 'SVC_PROPAGATION_MAX_RECORD_BYTES',
    default: '256MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Decoded bytes of one record above which it becomes a dead letter. Not below SVC_MAX_BODY_BYTES of the gateways.',
  }),
  deadLetterMin: setting.integer({
    env: 'SVC_PROPAGATION_DEAD_LETTER_MIN',
    default: 100,
    min: 1,
    says:
      'Spans among the last 100,000, rejected for what no client can cause, that halt a partition when they are also more than ' +
      'the share below.',
  }),
  deadLetterShare: setting.ratio({
    env: 'SVC_PROPAGATION_DEAD_LETTER_SHARE',
    default: 0.2,
    says: 'See SVC_PROPAGATION_DEAD_LETTER_MIN.',
  }),
}
