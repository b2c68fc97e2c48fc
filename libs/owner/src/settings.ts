// Settings that all services with partitions share.
import { mapped, setting } from '@svc-server/service/configuration'

const MiB = 1024 * 1024

export const ownerSettings = {
  stuckThresholdMs: mapped(
    setting.minutes({
      env: 'SVC_EVENT_PROPAGATION_STUCK_THRESHOLD_MINUTES',
      default: 15,
      min: 1,
      max: 1440,
      says: 'The health endpoint reports that processing is stuck if spans wait and none was published for this long, or if events wait and none was merged for this long.',
    }),
    minutes => minutes * 60_000,
  ),
  maxRecordBytes: setting.bytes({
    env: 'SVC_PROPAGATION_MAX_RECORD_BYTES',
    default: '256MiB',
    min: MiB,
    max: 1024 * MiB,
    says: 'Largest record in decoded bytes. A record above this size becomes a dead letter. Must be at least SVC_MAX_BODY_BYTES of the gateways.',
  }),
  deadLetterMin: setting.integer({
    env: 'SVC_PROPAGATION_DEAD_LETTER_MIN',
    default: 100,
    min: 1,
    says: 'A partition halts only if at least this number of its last 100,000 spans were rejected for server-side reasons. The share SVC_PROPAGATION_DEAD_LETTER_SHARE must also be exceeded.',
  }),
  deadLetterShare: setting.ratio({
    env: 'SVC_PROPAGATION_DEAD_LETTER_SHARE',
    default: 0.2,
    says: 'A partition halts only if more than this share of its last 100,000 spans was rejected for server-side reasons. The number of rejected spans must also be at least SVC_PROPAGATION_DEAD_LETTER_MIN.',
  }),
}
