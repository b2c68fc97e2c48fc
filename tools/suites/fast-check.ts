// Replaces fast-check in tests. A normal run draws the same random values every time. The nightly run draws new values. To repeat a failed
// run, set SVC_TEST_SEED to the seed that the run prints.
import fc from '../../node_modules/fast-check/lib/fast-check.js'

const asked = process.env['SVC_TEST_SEED']
const isNightly = process.env['SVC_TEST_WHOLE'] === '1'

if (asked !== undefined) fc.configureGlobal({ seed: Number(asked) })
else if (!isNightly) fc.configureGlobal({ seed: 459_600 })

// biome-ignore lint/style/noDefaultExport: this module replaces fast-check.
export default fc
