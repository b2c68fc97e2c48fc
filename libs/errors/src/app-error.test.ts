import { expect, test } from 'vitest'
import { AppError } from './app-error.ts'

test('the text for a probe omits messages of the column store, and repeats all other messages', () => {
  const refused = new AppError('column_store_refused', "Insert into events_full: Cannot parse 'my secret prompt' (code 27)")
  expect(refused.probeText).toContain('column_store_refused: ')
  expect(refused.probeText).not.toContain('secret')
  expect(new AppError('log_unavailable', 'The event log could not be written').probeText).toMatch(
    /^The event log could not be written\. \w/,
  )
})
