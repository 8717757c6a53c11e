# Gradient boosting beside loo_k() in bench/factors.R, which calls this: factors_boosting.py rows.csv factors
# rows.csv has the inputs (factors as numbers of their levels), the class y and the column training, 1 or 0; `factors` are the
# names of the factors, comma-separated. Prints log loss, error and CPU seconds of scikit-learn's HistGradientBoostingClassifier with its
# defaults, then of the same with early stopping on a tenth of the training rows.
import sys
import time

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss

names = open(sys.argv[1]).readline().replace('"', "").strip().split(",")
rows = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
factors = sys.argv[2].split(",")
inputs = [name for name in names if name not in ("y", "training")]
x = rows[:, [names.index(name) for name in inputs]]
y = rows[:, names.index("y")].astype(int)
training = rows[:, names.index("training")] == 1
for stopping in ("auto", True):
    began = time.process_time()
    model = HistGradientBoostingClassifier(categorical_features=[name in factors for name in inputs], early_stopping=stopping,
                                           random_state=0)
    model.fit(x[training], y[training])
    probability = model.predict_proba(x[~training])
    seconds = time.process_time() - began
    loss = log_loss(y[~training], probability, labels=np.unique(y))
    error = np.mean(model.classes_[probability.argmax(axis=1)] != y[~training])
    print(f"{'default' if stopping == 'auto' else 'stopped'},{loss:.5f},{error:.5f},{seconds:.2f},{sklearn.__version__}")
