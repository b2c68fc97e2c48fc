import { expect, test } from 'vitest'
import { AppError } from './app-error.ts'

test('a probe omits the column store’s message, and repeats all others', () => {
  const refused = new AppError('column_store_refused', "Insert into events_full: Cannot parse 'my secret prompt' (code 27)")
  expect(refused.probeText).toContain('column_store_refused: ')
  expect(refused.probeText).not.toContain('secret')
  expect(new AppError('log_unavailable', 'The event log could not be written').probeText).toMatch(
    /^The event log could not be written\. \w/,
  )
})
