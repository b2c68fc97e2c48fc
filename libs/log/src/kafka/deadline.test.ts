import { expect, test } from 'vitest'
import { withinDeadline } from './deadline.ts'

test('a commit without a response fails with log_unavailable after the deadline, and its late result is ignored', async () => {
  const never = Promise.withResolvers<void>()
  await expect(withinDeadline(never.promise, 5, 'The commit of spans/0')).rejects.toMatchObject({
    code: 'log_unavailable',
    message: expect.stringContaining('The commit of spans/0 got no response within'),
  })
  never.reject(new Error('late'))
  await expect(withinDeadline(Promise.resolve('answer'), 1_000, 'It')).resolves.toBe('answer')
  await expect(withinDeadline(Promise.reject(new Error('refused')), 1_000, 'It')).rejects.toThrow('refused')
})
