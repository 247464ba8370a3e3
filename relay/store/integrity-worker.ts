// Looks through the structure of a database too large to be checked before the start, beside the work.

import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

const db = new Database(String(workerData), { readonly: true });
parentPort?.postMessage(String(db.pragma('quick_check(1)', { simple: true })));
db.close();
