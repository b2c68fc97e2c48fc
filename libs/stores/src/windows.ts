// Settings that determine how long spans stay staged. The propagator uses these settings, and so do queries that locate a trace.
import { mapped, setting } from '@svc-server/service/configuration'

export const windowTimes = {
  windowMs: mapped(
    setting.seconds({
      env: 'SVC_PROPAGATION_WINDOW_SECONDS',
      default: 180,
      min: 1,
      max: 3600,
      says: 'Length of a window. Staged spans wait until their window ends. With shorter windows, more spans are published twice.',
    }),
    seconds => seconds * 1000,
  ),
  graceMs: setting.durationMs({
    env: 'SVC_PROPAGATION_GRACE_MS',
    default: '2s',
    min: 0,
    max: 60_000,
    says: 'Time from the end of a window until the propagator closes the window, if no later record arrives on the partition. Must exceed the difference between the brokers’ clocks.',
  }),
}
