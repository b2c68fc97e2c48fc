// The module that tests get when they import fast-check. A normal run draws the same cases every time, so that no test fails by chance. The
// nightly run draws new cases. A property that fails prints its seed. To repeat the run, set SVC_TEST_SEED to this seed.
import fc from '../../node_modules/fast-check/lib/fast-check.js'

const asked = process.env['SVC_TEST_SEED']
const isNightly = process.env['SVC_TEST_WHOLE'] === '1'

if (asked !== undefined) fc.configureGlobal({ seed: Number(asked) })
else if (!isNightly) fc.configureGlobal({ seed: 459_600 })

// biome-ignore lint/style/noDefaultExport: this module replaces fast-check.
export default fc
