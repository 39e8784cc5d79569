// The results of a report in one shape, whether they were found in a run or predicted from it, so that
// list, filters, lanes and sources need not know the difference. The data is the JSON of `seriatim
// check`, `run` and `predict`, and is only ever read.

const PREDICT_SCHEMA = "seriatim-predict/1";

function isReported(block) {
  return block.verdict === "potential" || block.verdict === "violation";
}

function allReported(prediction) {
  return prediction.verdicts.potential + prediction.verdicts.violation;
}

// Deadlocks belong to no engine: they are shown with each.
function predictedResult(prediction, data) {
  return {
    prediction, deadlocks: data.deadlocks || [], deadlockStories: data.deadlock_stories || [],
    engine: prediction.engine, summary: prediction.summary, serializable: prediction.atomic,
    first_bad_event: null, violation_count: allReported(prediction),
    violations: prediction.blocks.filter((block) => isReported(block) && !block.cut_inside),
    blocks: prediction.names.map((row) => ({ ...row, violated: row.reported })),
    left_out_of_page: prediction.left_out_of_page, repairs: prediction.repairs || [], stopped: false, time_seconds: prediction.seconds,
  };
}

function readResults(data) {
  const engines = data.engines || [data];
  return data.schema === PREDICT_SCHEMA ? engines.map((made) => predictedResult(made, data)) : engines;
}

// What the page has left out to stay small: numbers of findings, of all blocks, and of dependences.
function leftOutOfPage(result) {
  return result.left_out_of_page || { findings: 0, blocks: 0, dependences: 0 };
}

function allViolated(result) {
  return result.blocks.reduce((sum, block) => sum + (block.violated || 0), 0);
}

// The one that says most.
function bestResult(results) {
  const worth = (result) => result.violations.some((v) => v.verdict === "violation") ? 4
    : result.violations.some((v) => v.path.length) ? 3
    : result.violations.length ? 2 : result.cycle ? 1 : 0;
  return results.reduce((best, result) => worth(result) > worth(best) ? result : best);
}
