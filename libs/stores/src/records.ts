// Settings about records on the log, on which producers and consumers must agree.
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema/brand'
import { mapped, setting } from '@svc-server/service/configuration'

const MiB = 1024 * 1024

export const maxRowBytes = setting.bytes({
  env: 'SVC_MAX_ROW_BYTES',
  default: '256MiB',
  min: MiB,
  max: 4096 * MiB,
  says: 'Bytes of rows that a request may become (span, resource and scope; at least 2 KiB). Above it the gateway responds 413, and records on the log become dead letters. Use the same value everywhere.',
})

export const maxWork = setting.integer({
  env: 'SVC_MAX_REQUEST_WORK',
  default: 3_000_000,
  min: 100_000,
  max: 1_000_000_000,
  says: 'Units of work (about a microsecond each at worst) that mapping a request may take: attributes, and values in lists and JSON texts. Above it the gateway responds 413, and records on the log become dead letters. Use the same value everywhere.',
})

export const spanMaxAgeMonths = setting.integer({
  env: 'SVC_SPAN_MAX_AGE_MONTHS',
  default: 36,
  min: 1,
  max: 96,
  says: 'Age limit of spans, events and scores that are accepted. Older ones are rejected one by one, spans by partial success.',
})

export const brandAliases = mapped(
  setting.text({
    env: 'SVC_BRAND_ALIASES',
    optional: true,
    valid: brandAliasesValid,
    pattern: brandAliasPattern,
    says: 'Brands whose headers, attributes, scopes and SDK names are read like those of svc. Not set: none.',
  }),
  brandAliasesOf,
)
