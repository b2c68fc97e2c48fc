// Settings for records on the log. Producers and consumers must use equal values.
import { brandAliasesOf, brandAliasesValid, brandAliasPattern } from '@svc-server/schema/brand'
import { mapped, setting } from '@svc-server/service/configuration'

const MiB = 1024 * 1024

export const maxRowBytes = setting.bytes({
  env: 'SVC_MAX_ROW_BYTES',
  default: '256MiB',
  min: MiB,
  max: 4096 * MiB,
  says: 'Maximum bytes of the rows of one request. The bytes of a row are the bytes of its span, resource and scope together, but at least 2 KiB. The gateway responds with 413 to a request above the maximum. If a record on the log exceeds the maximum of the process that reads it, this process turns the record into a dead letter. Therefore, use the same value in every process.',
})

export const maxWork = setting.integer({
  env: 'SVC_MAX_REQUEST_WORK',
  default: 3_000_000,
  min: 100_000,
  max: 1_000_000_000,
  says: 'Maximum work for the mapping of one request, in units of work. Each attribute, and each value in a list or a JSON text, needs at least one unit of work. A unit of work takes at most about a microsecond. The gateway responds with 413 to a request above the maximum. If a record on the log exceeds the maximum of the process that reads it, this process turns the record into a dead letter. Therefore, use the same value in every process.',
})

export const spanMaxAgeMonths = setting.integer({
  env: 'SVC_SPAN_MAX_AGE_MONTHS',
  default: 36,
  min: 1,
  max: 96,
  says: 'Maximum age of accepted spans, events and scores. Older items are rejected, and the other items of the request are accepted. For spans, the response then reports a partial success.',
})

export const brandAliases = mapped(
  setting.text({
    env: 'SVC_BRAND_ALIASES',
    optional: true,
    valid: brandAliasesValid,
    pattern: brandAliasPattern,
    says: 'Brand names that the server accepts in place of svc, in headers, attributes, scopes and SDK names. By default, the server accepts only svc.',
  }),
  brandAliasesOf,
)
