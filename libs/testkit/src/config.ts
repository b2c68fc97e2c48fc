// How long an answer may take depends on what else the machine does. Every run holds that it does not come by a
// timeout; the bound itself is held where one suite runs at a time: by the nightly run.

/** The nightly run: nothing else takes the processors. */
export const isAlone = process.env['SVC_TEST_ALONE'] === '1'

/** What timers, sockets and other suites may add to a time. */
export const slackMs = (alone: number, amongOthers = alone * 10): number => (isAlone ? alone : amongOthers)
