// Long tasks can be switched off as a whole (spec/jobs.md section 8), and each has its tags (section 2).

import { isJobKind, JOBS_OFF, jobShapeRefusal } from '../../protocol/job.ts';
import type { Rule } from '../rule.ts';

export const jobsSwitch: Rule = ({ event }, desk) =>
  isJobKind(event.kind) && !desk.policy().features.jobs ? JOBS_OFF : null;

export const jobShape: Rule = ({ event }) => jobShapeRefusal(event);
